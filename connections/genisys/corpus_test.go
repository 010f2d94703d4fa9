package genisys_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/connections/genisys"
	"pawl/internal/fault"
)

var update = flag.Bool("update", false, "write golden files")

const (
	badFolder = "testdata/bad"
	badGolden = badFolder + "/problems.golden"
	mostTold  = 12 // problems of one file in the golden file
)

// bad is a broken or hostile plugin file: one of testdata/bad, which people can read, or one that is made here.
type bad struct {
	name string
	data []byte
}

// corpus gives all bad files. What a file breaks, its name says; a file breaks one rule unless it says otherwise.
func corpus(t testing.TB) []bad {
	t.Helper()
	files, err := filepath.Glob(badFolder + "/*.genisys-plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []bad
	for _, file := range files {
		all = append(all, bad{strings.TrimSuffix(filepath.Base(file), ".genisys-plugin.json"), read(t, file)})
	}
	all = append(all, badTexts(t)...)
	all = append(all, badPictures(t)...)
	return all
}

// TestBadFiles holds every problem of every bad file against the golden file: kind, reason, place and words.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	files := corpus(t)
	if len(files) < 150 {
		t.Errorf("%d bad files; want 150 or more", len(files))
	}
	var got strings.Builder
	seen := map[string]bool{}
	for _, b := range files {
		p, problems := genisys.Decode(b.data)
		if p != nil || len(problems) == 0 {
			t.Errorf("%s is accepted", b.name)
		}
		if seen[b.name] {
			t.Errorf("two bad files are called %s", b.name)
		}
		seen[b.name] = true
		for _, e := range problems[:min(len(problems), mostTold)] {
			fmt.Fprintf(&got, "%s: %s\n", b.name, told(e))
		}
		if more := len(problems) - mostTold; more > 0 {
			fmt.Fprintf(&got, "%s: and %d more\n", b.name, more)
		}
	}
	compare(t, badGolden, got.String())
}

// told is a problem on one line, its pointer and its words not longer than a line bears.
func told(e *fault.Error) string {
	place := ""
	if w := e.Where; w != nil {
		place = " at " + clip(w.Pointer, 80)
		if w.Line > 0 {
			place += fmt.Sprintf(" %d:%d", w.Line, w.Column)
		}
	}
	return fmt.Sprintf("%s (%s)%s: %s", e.Kind, e.Reason, place, clip(e.Message, 400))
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(string(read(t, file)), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", file, diff)
	}
}

// TestBadFilesCostLittle: what reading a bad file allocates is bounded, in all and by the file's size. It measures, so
// it is not parallel.
func TestBadFilesCostLittle(t *testing.T) {
	const kib = 1 << 10
	for _, b := range corpus(t) {
		want := uint64(min(6_000*kib+250*len(b.data), 96<<20))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		genisys.Decode(b.data)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > want {
			t.Errorf("%s has %d KiB, and reading it allocates %d KiB; want %d at the most", b.name, len(b.data)/kib, got/kib, want/kib)
		}
	}
}

// TestEveryTruncationIsRefused cuts a valid file at every byte.
func TestEveryTruncationIsRefused(t *testing.T) {
	t.Parallel()
	data := []byte(strings.TrimSpace(string(read(t, legacyFile))))
	for n := range data {
		p, problems := genisys.Decode(data[:n])
		if p != nil || len(problems) == 0 || problems[len(problems)-1].Reason != "truncated" && problems[len(problems)-1].Reason != "utf8" {
			t.Fatalf("cut behind %d bytes: %v, %v", n, p, problems)
		}
	}
}

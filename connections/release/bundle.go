package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"pawl/connections/genisys"
	"pawl/internal/canon"
	"pawl/internal/fault"
)

// BundleFormat is the value of the member "format" of every bundle.
const BundleFormat = "genisys-plugin-bundle@1"

// Bundle is several plugins in one file, each with its settings, in the file's order. docs/formats/genisys-plugin-bundle.md
// describes the file.
type Bundle []Bundled

// Bundled is one plugin of a bundle; Settings is nil for one without any.
type Bundled struct {
	Plugin   *genisys.Plugin
	Settings *Settings
}

// Digest is the digest that a release of exactly this has.
func (b Bundled) Digest() []byte { return Digest(b.Plugin.Canonical(), b.Settings.Canonical()) }

// DecodeBundle reads a bundle that comes from outside, with every plugin file and every settings file in it. It reports
// the problems of all of them at once, each with a JSON pointer into the bundle; the bundle is nil when there is any.
func DecodeBundle(data []byte) (Bundle, fault.List) {
	top, report := canon.Open(data, canon.Limits{Bytes: MaxBundleBytes, Depth: genisys.MaxFileDepth + bundleDepth})
	if len(report.Problems()) > 0 {
		return nil, report.Problems()
	}
	var b Bundle
	var within fault.List
	for _, p := range entries(top) {
		one, problems := bundled(p)
		b, within = append(b, one), append(within, problems...)
	}
	if problems := append(report.Problems(), within...); len(problems) > 0 {
		return nil, problems
	}
	if problems := b.twice(); len(problems) > 0 {
		return nil, problems
	}
	return b, nil
}

// entries gives the places of the plugins, at most MaxBundled.
func entries(top canon.Place) []canon.Place {
	if !top.Object("format", "plugins") {
		return nil
	}
	format := top.Need("format")
	if text, ok := format.Text(); ok && text != BundleFormat {
		format.Refuse("format", "This is not a bundle that Pawl reads: \"format\" must be %q.", BundleFormat)
	}
	list := top.Need("plugins")
	all := list.Elements()
	switch n := len(all); {
	case n > MaxBundled:
		list.RefuseAs(fault.Limit, "count", "There are %d plugins; at most %d are allowed in a bundle.", n, MaxBundled)
		return nil
	case n == 0 && list.Kind() == canon.List:
		list.Refuse("count", "There are no plugins; a bundle has 1 to %d.", MaxBundled)
	}
	return all
}

// bundled reads one plugin and its settings; problems have pointers into the bundle.
func bundled(p canon.Place) (Bundled, fault.List) {
	if !p.Object("plugin", "settings") {
		return Bundled{}, nil
	}
	var one Bundled
	var all, problems fault.List
	file, settings := p.Need("plugin"), p.Member("settings")
	if file.Present() {
		one.Plugin, problems = genisys.Decode(file.Value().Canonical())
		all = append(all, below(file, problems)...)
	}
	if settings.Present() {
		var m *genisys.Manifest
		if one.Plugin != nil {
			m = &one.Plugin.Manifest
		}
		one.Settings, problems = ReadSettings(settings.Value().Canonical(), m)
		all = append(all, below(settings, problems)...)
	}
	return one, all
}

// below moves problems of a file to where it stands in the bundle. Lines and columns are of the file's canonical form, so
// they are left out.
func below(p canon.Place, problems fault.List) fault.List {
	moved := make(fault.List, 0, len(problems))
	for _, e := range problems {
		pointer := p.Pointer()
		if e.Where != nil {
			pointer += e.Where.Pointer
		}
		c := *e
		c.Where = nil
		moved = append(moved, c.At(pointer))
	}
	return moved
}

// twice refuses an id that two plugins have: a bundle holds drafts, of which a plugin has one.
func (b Bundle) twice() fault.List {
	var problems fault.List
	first := make(map[string]int, len(b))
	for i, one := range b {
		id := one.Plugin.Manifest.ID
		if j, again := first[id]; again {
			at := canon.Pointer("plugins", strconv.Itoa(i), "plugin", "manifest", "id")
			problems = append(problems, fault.New(fault.InvalidInput, "duplicate", "The plugin %q stands in the bundle twice, here and at /plugins/%d; leave one out.", id, j).At(at))
			continue
		}
		first[id] = i
	}
	return problems
}

// Encode writes the bundle as a file for people. Nothing is lost or added: each plugin keeps its digest.
func (b Bundle) Encode() ([]byte, error) {
	var flat bytes.Buffer
	fmt.Fprintf(&flat, `{"format":%q,"plugins":[`, BundleFormat)
	for i, one := range b {
		file, err := one.Plugin.Encode()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			flat.WriteByte(',')
		}
		flat.WriteString(`{"plugin":`)
		flat.Write(file)
		if one.Settings != nil {
			flat.WriteString(`,"settings":`)
			flat.Write(one.Settings.canonical)
		}
		flat.WriteByte('}')
	}
	flat.WriteString(`]}`)
	var out bytes.Buffer
	if err := json.Indent(&out, flat.Bytes(), "", "  "); err != nil {
		return nil, fmt.Errorf("encode a bundle of %d plugins: %w", len(b), err)
	}
	out.WriteByte('\n')
	if out.Len() > MaxBundleBytes {
		return nil, fault.New(fault.TooLarge, "bytes", "The bundle would have %d bytes; at most %d are allowed. Export fewer plugins at once.", out.Len(), MaxBundleBytes)
	}
	return out.Bytes(), nil
}

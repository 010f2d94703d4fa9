package genisys

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"pawl/internal/canon"
)

// Encode writes the plugin as a file for people: indented, the members in the seed's order, a line feed at the
// end. Nothing is lost or added: decoding it again gives the same plugin with the same digest.
func (p *Plugin) Encode() ([]byte, error) {
	v, problems := canon.Parse(p.canonical, fileLimits())
	if err := problems.Err(); err != nil {
		return nil, fmt.Errorf("encode plugin %s: %w", p.Manifest.ID, err)
	}
	orders := make(map[*canon.Value][]string)
	fileShape().order(v, orders)
	flat := v.Ordered(func(parent, a, b *canon.Value) int {
		members := orders[parent]
		return cmp.Or(
			cmp.Compare(slices.Index(members, a.Name()), slices.Index(members, b.Name())),
			canon.CompareNames(a.Name(), b.Name()))
	})
	var out bytes.Buffer
	if err := json.Indent(&out, flat, "", "  "); err != nil {
		return nil, fmt.Errorf("encode plugin %s: %w", p.Manifest.ID, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

package api

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"pawl/connections/release"
	"pawl/internal/auth"
)

// download is an answer that is a file.
type download struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

func newDownload(name string, data []byte, err error) (*download, error) {
	if err != nil {
		return nil, err
	}
	return &download{"application/json", `attachment; filename="` + name + `"`, data}, nil
}

// Which chooses a stage or a version of a plugin.
type Which struct {
	Version string `query:"version" maxLength:"40" doc:"draft, preview, production, or a frozen version; the most released one without"`
}

func (s *server) exportPlugin(ctx context.Context, in *struct {
	InPlugin
	Which
},
) (*download, error) {
	data, err := s.Plugins.Export(ctx, in.ID, in.Version)
	return newDownload(in.ID+".genisys-plugin.json", data, err)
}

func (s *server) exportPluginSettings(ctx context.Context, in *struct {
	InPlugin
	Which
},
) (*download, error) {
	data, err := s.Plugins.ExportSettings(ctx, in.ID, in.Version)
	return newDownload(in.ID+".pawl-release.json", data, err)
}

func (s *server) exportBundle(ctx context.Context, in *struct {
	Which
	IDs []string `query:"id,explode" required:"true" minItems:"1" maxItems:"200" doc:"The plugins; may stand several times"`
},
) (*download, error) {
	data, err := s.Plugins.ExportBundle(ctx, in.IDs, in.Version)
	return newDownload("plugins.genisys-plugin-bundle.json", data, err)
}

// BundleImport carries plugins that become drafts together.
type BundleImport struct {
	Bundle json.RawMessage `json:"bundle" doc:"A genisys-plugin-bundle@1 document"`
	// Plan asks what would happen; nothing is written.
	Plan bool             `json:"plan,omitempty" doc:"Only say what would change"`
	Revs map[string]int64 `json:"revs,omitempty" doc:"The revisions of the drafts that the plan showed, by plugin; a plugin that is not in it must not be there yet"`
}

// BundleImported says what was, or would be, done.
type BundleImported struct {
	Items []ImportedPlugin `json:"items" nullable:"false"`
}

// ImportedPlugin is what becomes of one plugin of a bundle.
type ImportedPlugin struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Digest  string `json:"digest" doc:"SHA-256 over the canonical form of document and settings"`
	Change  string `json:"change" enum:"create,update,unchanged"`
	Rev     int64  `json:"rev" doc:"The revision of the draft: with a plan the one that is there now, 0 for none"`
}

func (s *server) importBundle(ctx context.Context, in *struct{ Body BundleImport }) (*struct{ Body BundleImported }, error) {
	var list []release.Imported
	var err error
	if in.Body.Plan {
		list, err = s.Plugins.PlanImport(ctx, in.Body.Bundle)
	} else {
		list, err = s.Plugins.Import(ctx, in.Body.Bundle, in.Body.Revs, auth.CallerOf(ctx).Actor())
	}
	if err != nil {
		return nil, addPrefix(err, "/bundle")
	}
	items := make([]ImportedPlugin, 0, len(list))
	for _, i := range list {
		items = append(items, ImportedPlugin{i.ID, i.Version.String(), hex.EncodeToString(i.Digest), i.Change, i.Rev})
	}
	return &struct{ Body BundleImported }{BundleImported{items}}, nil
}

package api

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/auth"
	"pawl/internal/fault"
)

type movedOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   Moved
}

func movedTo(d release.Done, err error) (*movedOutput, error) {
	if err != nil {
		return nil, err
	}
	return &movedOutput{200, etag(d.Plugin.Draft.Rev), moved(d)}, nil
}

func (s *server) putPluginDraft(ctx context.Context, in *struct {
	InPlugin
	Condition
	Body json.RawMessage `doc:"A genisys-plugin@1 file"`
},
) (*movedOutput, error) {
	state, err := s.Plugins.Show(ctx, in.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	exists := err == nil && state.RemovedAt == nil
	rev, err := in.rev(exists, "The plugin "+strconv.Quote(in.ID))
	if err != nil {
		return nil, err
	}
	if !exists && in.IfMatch == "" { // a removed plugin keeps its revision
		rev = state.Draft.Rev
	}
	out, err := movedTo(s.Plugins.Push(ctx, in.ID, in.Body, &rev, auth.CallerOf(ctx).Actor()))
	if err == nil && !exists {
		out.Status = created
	}
	return out, err
}

func (s *server) putPluginSettings(ctx context.Context, in *struct {
	InPlugin
	Condition
	Body json.RawMessage `doc:"A pawl-release@1 file"`
},
) (*movedOutput, error) {
	if _, err := s.Plugins.Show(ctx, in.ID); err != nil {
		return nil, err
	}
	rev, err := in.rev(true, "The plugin "+strconv.Quote(in.ID))
	if err != nil {
		return nil, err
	}
	return movedTo(s.Plugins.PutSettings(ctx, in.ID, in.Body, &rev, auth.CallerOf(ctx).Actor()))
}

func (s *server) removePluginSettings(ctx context.Context, in *struct {
	InPlugin
	Condition
},
) (*movedOutput, error) {
	if _, err := s.Plugins.Show(ctx, in.ID); err != nil {
		return nil, err
	}
	rev, err := in.rev(true, "The plugin "+strconv.Quote(in.ID))
	if err != nil {
		return nil, err
	}
	return movedTo(s.Plugins.PutSettings(ctx, in.ID, nil, &rev, auth.CallerOf(ctx).Actor()))
}

// Promotion moves a plugin up.
type Promotion struct {
	To           string     `json:"to" enum:"preview,production"`
	Projects     []string   `json:"projects,omitempty" maxItems:"1000" doc:"preview: the projects that it is served in; those of before without"`
	KeepPrevious *time.Time `json:"keep_previous,omitempty" doc:"production: keep the version before routed beside the new one until then"`
}

func (s *server) promotePlugin(ctx context.Context, in *struct {
	InPlugin
	Body Promotion
},
) (*movedOutput, error) {
	c := auth.CallerOf(ctx)
	if in.Body.To == "production" {
		if !c.May(auth.Release) {
			return nil, c.Need(auth.Release)
		}
		if in.Body.Projects != nil {
			return nil, fault.New(fault.InvalidInput, "projects", "Only a promotion to preview chooses projects; production serves them all.").At("/projects")
		}
		return movedTo(s.Plugins.ToProduction(ctx, in.ID, in.Body.KeepPrevious, c.Actor()))
	}
	if in.Body.KeepPrevious != nil {
		return nil, fault.New(fault.InvalidInput, "keep_previous", "Only a promotion to production keeps the version before.").At("/keep_previous")
	}
	projects, err := s.previewProjects(ctx, c, in.Body.Projects)
	if err != nil {
		return nil, err
	}
	return movedTo(s.Plugins.ToPreview(ctx, in.ID, projects, c.Actor()))
}

// previewProjects finds chosen projects by name; nil stays nil, which leaves the choice as it is.
func (s *server) previewProjects(ctx context.Context, c *auth.Caller, names []string) ([]uuid.UUID, error) {
	if names == nil {
		return nil, nil
	}
	ids := make([]uuid.UUID, 0, len(names))
	for i, name := range names {
		p, err := s.projectFor(ctx, c, name, auth.See)
		if err != nil {
			return nil, addPrefix(err, "/projects/"+strconv.Itoa(i))
		}
		ids = append(ids, p.ID)
	}
	return ids, nil
}

// RollbackRequest names an earlier frozen version.
type RollbackRequest struct {
	To string `json:"to" maxLength:"40" doc:"A frozen version, for instance 1.0.0"`
}

func (s *server) rollbackPlugin(ctx context.Context, in *struct {
	InPlugin
	Body RollbackRequest
},
) (*movedOutput, error) {
	to, err := connections.ParseVersion(in.Body.To)
	if err != nil {
		return nil, addPrefix(err, "/to")
	}
	return movedTo(s.Plugins.Rollback(ctx, in.ID, to, auth.CallerOf(ctx).Actor()))
}

func (s *server) disablePlugin(ctx context.Context, in *InPlugin) (*movedOutput, error) {
	return movedTo(s.Plugins.Disable(ctx, in.ID, auth.CallerOf(ctx).Actor()))
}

func (s *server) enablePlugin(ctx context.Context, in *InPlugin) (*movedOutput, error) {
	return movedTo(s.Plugins.Enable(ctx, in.ID, auth.CallerOf(ctx).Actor()))
}

func (s *server) removePlugin(ctx context.Context, in *InPlugin) (*movedOutput, error) {
	return movedTo(s.Plugins.Remove(ctx, in.ID, auth.CallerOf(ctx).Actor()))
}

package api

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"pawl/internal/auth"
	"pawl/internal/store"
)

// InProject is the part of an input that names the project; permit has resolved it before.
type InProject struct {
	Project string `path:"project" maxLength:"63" doc:"The project's name"`
}

// ProjectInfo is a project.
type ProjectInfo struct {
	Name      string    `json:"name"`
	Title     string    `json:"title"`
	LocalOnly bool      `json:"local_only"`
	CreatedAt time.Time `json:"created_at"`
}

func projectInfo(p store.Project) ProjectInfo {
	return ProjectInfo{p.Name, p.Title, p.LocalOnly, p.CreatedAt}
}

func (s *server) listProjects(ctx context.Context, _ *struct{}) (*struct{ Body List[ProjectInfo] }, error) {
	all, err := s.Store.ListProjects(ctx)
	if err != nil {
		return nil, err
	}
	c := auth.CallerOf(ctx)
	var mine []ProjectInfo
	for _, p := range all {
		if c.InProject(p.ID) {
			mine = append(mine, projectInfo(p))
		}
	}
	return newList(mine, ""), nil
}

// NewProject asks for a project.
type NewProject struct {
	Name  string `json:"name" minLength:"1" maxLength:"63" doc:"The handle in addresses: lower-case letters, digits and hyphens"`
	Title string `json:"title,omitempty" maxLength:"200"`
}

func (s *server) createProject(ctx context.Context, in *struct{ Body NewProject }) (*struct{ Body ProjectInfo }, error) {
	p, err := s.Store.CreateProject(ctx, in.Body.Name, in.Body.Title, auth.CallerOf(ctx).Actor())
	if err != nil {
		return nil, err
	}
	return &struct{ Body ProjectInfo }{projectInfo(p)}, nil
}

// AuditItem is one row of the audit log.
type AuditItem struct {
	ID      int64           `json:"id"`
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`
	Project string          `json:"project,omitempty"`
	Verb    string          `json:"verb"`
	Object  string          `json:"object"`
	Detail  json.RawMessage `json:"detail"`
}

func (s *server) audit(ctx context.Context, in *struct {
	Paging
	Project string `query:"project" maxLength:"63" doc:"Only rows of this project"`
	Object  string `query:"object" maxLength:"300" doc:"Only rows about this object, for instance plugin:shop"`
},
) (*struct{ Body List[AuditItem] }, error) {
	f := store.AuditFilter{Object: in.Object, Limit: in.Limit + 1}
	var err error
	if f.Before, err = in.number(); err != nil {
		return nil, err
	}
	if in.Project != "" {
		p, err := s.projectFor(ctx, auth.CallerOf(ctx), in.Project, auth.Audit)
		if err != nil {
			return nil, err
		}
		f.Project = &p.ID
	} else if err := wholeInstallation(auth.CallerOf(ctx)); err != nil {
		return nil, err
	}
	rows, err := s.Store.AuditEntries(ctx, f)
	if err != nil {
		return nil, err
	}
	rows, next := cut(rows, in.Limit, func(e store.AuditEntry) string { return strconv.FormatInt(e.ID, 10) })
	items := make([]AuditItem, 0, len(rows))
	for _, e := range rows {
		items = append(items, AuditItem{e.ID, e.At, e.Actor, e.Project, e.Verb, e.Object, e.Detail})
	}
	return newList(items, next), nil
}

// wholeInstallation lets only owners read the log of all projects at once.
func wholeInstallation(c *auth.Caller) error {
	if c.May(auth.Own) {
		return nil
	}
	return c.Need(auth.Own)
}

package api

import (
	"context"
	"encoding/json"
	"time"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/auth"
)

// CatalogEntry is a connection whose actions steps can name.
type CatalogEntry struct {
	Identity    connections.ConnectionIdentity `json:"identity"`
	Source      connections.Source             `json:"source"`
	ID          string                         `json:"id"`
	Version     string                         `json:"version"`
	Name        string                         `json:"name"`
	State       string                         `json:"state" enum:"active,kept" doc:"kept: an older version that is routed beside the newer one until kept_until"`
	KeptUntil   *time.Time                     `json:"kept_until,omitempty"`
	Since       time.Time                      `json:"since"`
	Logo        string                         `json:"logo" doc:"A PNG as a data URL, or empty"`
	SecretLabel string                         `json:"secret_label"`
	KeyHelp     string                         `json:"key_help"`
	Docs        string                         `json:"docs" doc:"An https address, or empty"`
	Auth        string                         `json:"auth" doc:"bearer, header:<name>, or none for sandbox tools"`
	Actions     []CatalogAction                `json:"actions" nullable:"false"`
}

// CatalogAction is an action that steps can name.
type CatalogAction struct {
	Identity    connections.ActionIdentity `json:"identity"`
	ID          string                     `json:"id"`
	Name        string                     `json:"name"`
	Description string                     `json:"description"`
	Method      string                     `json:"method"`
	Path        string                     `json:"path"`
	Risk        release.Risk               `json:"risk" enum:"read,write,destructive,external"`
	Effect      release.Effect             `json:"effect" enum:"local_read,network_read,write,delete,payment,publication,permission_change,credential_exfiltration,external_unknown" doc:"What it does to the world"`
	Input       json.RawMessage            `json:"input_schema" doc:"A JSON Schema of the step's input"`
	Inputs      []CatalogInput             `json:"inputs" nullable:"false"`
}

// CatalogInput is a declared input, for drawing a form.
type CatalogInput struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	In          string `json:"in" enum:"path,query,body"`
	Required    bool   `json:"required"`
	Type        string `json:"type" enum:"text,number,integer,boolean"`
	JSON        bool   `json:"json"`
	List        bool   `json:"list"`
	Row         bool   `json:"row"`
	Long        bool   `json:"long"`
	Placeholder string `json:"placeholder"`
}

func (s *server) catalog(ctx context.Context, in *struct {
	Paging
	Query   string `query:"query" maxLength:"200" doc:"Words that must all occur"`
	Project string `query:"project" maxLength:"63" default:"default" doc:"The project whose own imports are included"`
},
) (*struct{ Body List[CatalogEntry] }, error) {
	after, err := in.text()
	if err != nil {
		return nil, err
	}
	project, err := s.projectFor(ctx, auth.CallerOf(ctx), in.Project, auth.See)
	if err != nil {
		return nil, err
	}
	entries, more, err := s.Catalog.List(ctx, release.Query{Text: in.Query, Project: project.ID, After: connections.ConnectionIdentity(after), Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	items := make([]CatalogEntry, 0, len(entries))
	for i := range entries {
		items = append(items, catalogEntry(&entries[i]))
	}
	next := ""
	if more {
		next = cursorOf(string(items[len(items)-1].Identity))
	}
	return newList(items, next), nil
}

func catalogEntry(e *release.Entry) CatalogEntry {
	item := CatalogEntry{
		Identity: e.Identity, Source: e.Source, ID: e.ID, Version: e.Version.String(), Name: e.Name, State: "active", KeptUntil: e.KeptUntil, Since: e.Since,
		Logo: e.Logo, Auth: "none", Actions: []CatalogAction{},
	}
	if e.KeptUntil != nil {
		item.State = "kept"
	}
	if e.App != nil {
		item.SecretLabel, item.KeyHelp, item.Docs, item.Auth = e.App.SecretLabel, e.App.KeyHelp, e.App.Docs, authText(e.App)
	}
	for i := range e.Actions {
		item.Actions = append(item.Actions, catalogAction(&e.Actions[i]))
	}
	return item
}

func catalogAction(o *release.Offer) CatalogAction {
	a := CatalogAction{
		Identity: o.Identity, ID: o.ID, Name: o.Name, Description: o.Description, Method: o.Method, Path: o.Path, Risk: o.Risk, Effect: o.Effect,
		Input: o.InputSchema(), Inputs: []CatalogInput{},
	}
	for _, in := range o.Inputs {
		a.Inputs = append(a.Inputs, catalogInput(in))
	}
	return a
}

func authText(app *genisys.App) string {
	if app.Auth.Bearer() {
		return "bearer"
	}
	return "header:" + app.Auth.Header
}

func typeName(t genisys.Type) string {
	if t == genisys.Text {
		return "text"
	}
	return string(t)
}

func catalogInput(in genisys.Input) CatalogInput {
	return CatalogInput{in.ID, in.Label, string(in.In), in.Required, typeName(in.Type), in.JSON, in.List, in.Row, in.Long, in.Placeholder}
}

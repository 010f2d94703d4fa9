package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"github.com/google/uuid"

	"pawl/internal/auth"
	"pawl/internal/automation"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// InAutomation is the part of an input that names an automation of the project.
type InAutomation struct {
	InProject
	Name string `path:"name" maxLength:"100" doc:"The automation's handle"`
}

var automationName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,99}$`)

func checkAutomationName(name string) error {
	if automationName.MatchString(name) {
		return nil
	}
	return fault.New(fault.InvalidInput, "automation_name",
		"%q is no handle of an automation: use lower-case letters, digits and hyphens, start with a letter or digit, 100 characters at most.", name).At("/name")
}

// AutomationHead is an automation without its document.
type AutomationHead struct {
	Name         string    `json:"name" doc:"The handle in addresses and commands"`
	Title        string    `json:"title" doc:"The readable name, from the draft"`
	DraftRev     int64     `json:"draft_rev" doc:"The revision of the draft; its ETag is this number in double quotes"`
	DraftDiffers bool      `json:"draft_differs" doc:"Whether publishing would make a new version: the draft means something else than the live version, or nothing is live"`
	LiveVersion  *int      `json:"live_version" doc:"The version that triggers and runs follow; null before the first publish"`
	LastRun      *LastRun  `json:"last_run" doc:"The latest run, whichever version it follows; of a test key the latest run of a draft; null before the first"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
	UpdatedBy    string    `json:"updated_by"`
}

// LastRun is how an automation last ran.
type LastRun struct {
	ID         uuid.UUID  `json:"id"`
	State      string     `json:"state" enum:"queued,running,waiting,needs_attention,succeeded,failed,cancelled"`
	CreatedAt  time.Time  `json:"created_at"`
	StartedAt  *time.Time `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// AutomationInfo is an automation with its draft.
type AutomationInfo struct {
	AutomationHead
	Draft    json.RawMessage `json:"draft" doc:"The document pawl-automation@1"`
	Problems []ProblemItem   `json:"problems" nullable:"false" doc:"What keeps the draft from being published"`
	Warnings []ProblemItem   `json:"warnings" nullable:"false"`
}

type automationOutput struct {
	ETag string `header:"ETag"`
	Body AutomationInfo
}

func automationHead(a *store.ListedAutomation) AutomationHead {
	h := AutomationHead{
		Name: a.Name, DraftRev: a.DraftRev, LiveVersion: a.LiveVersion, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt, UpdatedBy: a.UpdatedBy,
		Title: titleOf(a.Draft), DraftDiffers: draftDiffers(a),
	}
	if a.RunID != nil {
		h.LastRun = &LastRun{*a.RunID, *a.RunState, *a.RunCreatedAt, a.RunStartedAt, a.RunFinishedAt}
	}
	return h
}

// draftDiffers says whether a draft is another document than the live version. One that could not be read would make a
// new version too, once it is mended.
func draftDiffers(a *store.ListedAutomation) bool {
	if a.Draft == nil {
		return false
	}
	doc, problems := automation.Decode(a.Draft)
	if len(problems) > 0 {
		return true
	}
	digest := doc.Digest()
	return !bytes.Equal(digest[:], a.LiveDigest)
}

// titleOf is the name that a document gives itself.
func titleOf(document []byte) string {
	var d struct{ Name string }
	if json.Unmarshal(document, &d) != nil {
		return "" // a draft was read when it was saved
	}
	return d.Name
}

func (s *server) listAutomations(ctx context.Context, in *struct {
	InProject
	Paging
},
) (*struct{ Body List[AutomationHead] }, error) {
	after, err := in.text()
	if err != nil {
		return nil, err
	}
	f := store.AutomationFilter{Project: projectOf(ctx).ID, After: after, Stage: stageOf(auth.CallerOf(ctx)), Limit: in.Limit + 1}
	rows, err := s.Store.ListAutomations(ctx, f)
	if err != nil {
		return nil, err
	}
	rows, next := cut(rows, in.Limit, func(a store.ListedAutomation) string { return a.Name })
	items := make([]AutomationHead, 0, len(rows))
	for i := range rows {
		items = append(items, automationHead(&rows[i]))
	}
	return newList(items, next), nil
}

func (s *server) showAutomation(ctx context.Context, in *InAutomation) (*automationOutput, error) {
	project := projectOf(ctx)
	a, err := s.Store.ShowAutomation(ctx, project.ID, in.Name, stageOf(auth.CallerOf(ctx)))
	if err != nil {
		return nil, err
	}
	info := AutomationInfo{AutomationHead: automationHead(&a), Draft: a.Draft, Problems: []ProblemItem{}, Warnings: []ProblemItem{}}
	if a.Draft == nil {
		info.Draft = json.RawMessage("null")
		return &automationOutput{etag(a.DraftRev), info}, nil
	}
	checked, err := s.Documents.Check(ctx, project.ID, a.Draft)
	if err != nil {
		info.Problems = newProblem(err, "").items()
	} else {
		info.Problems, info.Warnings = itemsOf(checked.Problems), itemsOf(checked.Warnings)
	}
	return &automationOutput{etag(a.DraftRev), info}, nil
}

func (s *server) removeAutomation(ctx context.Context, in *InAutomation) (*struct{}, error) {
	return nil, s.Store.RemoveAutomation(ctx, projectOf(ctx).ID, in.Name, auth.CallerOf(ctx).Actor())
}

// VersionInfo is a published version.
type VersionInfo struct {
	Version     int       `json:"version"`
	Digest      string    `json:"digest" doc:"SHA-256 of the document"`
	Author      string    `json:"author"`
	Message     string    `json:"message"`
	PublishedAt time.Time `json:"published_at"`
	Live        bool      `json:"live"`
}

func versionInfo(v store.AutomationVersion, live *int) VersionInfo {
	return VersionInfo{v.Version, hex.EncodeToString(v.Digest), v.Author, v.Message, v.PublishedAt, live != nil && *live == v.Version}
}

func (s *server) listVersions(ctx context.Context, in *struct {
	InAutomation
	Paging
},
) (*struct{ Body List[VersionInfo] }, error) {
	below, err := in.number()
	if err != nil {
		return nil, err
	}
	a, err := s.Store.AutomationByName(ctx, projectOf(ctx).ID, in.Name)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.AutomationVersions(ctx, a.ID, int(below), in.Limit+1)
	if err != nil {
		return nil, err
	}
	rows, next := cut(rows, in.Limit, func(v store.AutomationVersion) string { return strconv.Itoa(v.Version) })
	items := make([]VersionInfo, 0, len(rows))
	for _, v := range rows {
		items = append(items, versionInfo(v, a.LiveVersion))
	}
	return newList(items, next), nil
}

// VersionDocument is a version with its document.
type VersionDocument struct {
	VersionInfo
	Document json.RawMessage `json:"document"`
}

func (s *server) showVersion(ctx context.Context, in *struct {
	InAutomation
	Version int `path:"version" minimum:"1"`
},
) (*struct{ Body VersionDocument }, error) {
	a, err := s.Store.AutomationByName(ctx, projectOf(ctx).ID, in.Name)
	if err != nil {
		return nil, err
	}
	v, body, err := s.Store.AutomationVersion(ctx, a.ID, in.Version)
	if err != nil {
		return nil, err
	}
	return &struct{ Body VersionDocument }{VersionDocument{versionInfo(v, a.LiveVersion), body}}, nil
}

package api

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"pawl/internal/auth"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// DraftSaved is what saving a draft gives.
type DraftSaved struct {
	Name     string        `json:"name"`
	Rev      int64         `json:"rev"`
	Created  bool          `json:"created"`
	Problems []ProblemItem `json:"problems" nullable:"false" doc:"What keeps the draft from being published"`
	Warnings []ProblemItem `json:"warnings" nullable:"false"`
}

type draftOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   DraftSaved
}

func (p *Problem) items() []ProblemItem {
	if len(p.Errors) > 0 {
		return p.Errors
	}
	return []ProblemItem{{p.Kind, p.Reason, p.Detail, p.Where, p.Details}}
}

func (s *server) putAutomationDraft(ctx context.Context, in *struct {
	InAutomation
	Condition
	Body json.RawMessage `doc:"A document pawl-automation@1"`
},
) (*draftOutput, error) {
	return s.saveDraft(ctx, in.Name, in.Condition, in.Body)
}

// saveDraft checks a document and saves it. One that can be read is saved although it has problems: they keep it
// from being published, not from being worked on.
func (s *server) saveDraft(ctx context.Context, name string, cond Condition, body []byte) (*draftOutput, error) {
	if err := checkAutomationName(name); err != nil {
		return nil, err
	}
	project := projectOf(ctx)
	checked, err := s.Documents.Check(ctx, project.ID, body)
	if err != nil {
		return nil, err
	}
	_, err = s.Store.AutomationByName(ctx, project.ID, name)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	rev, err := cond.rev(err == nil, "The automation "+strconv.Quote(name))
	if err != nil {
		return nil, err
	}
	written, err := s.Store.PutDrafts(ctx, project.ID, []store.AutomationDraft{{Name: name, Body: body, Rev: rev}}, auth.CallerOf(ctx).Actor())
	if err != nil {
		return nil, err
	}
	w := written[0]
	out := &draftOutput{Status: 200, ETag: etag(w.Rev), Body: DraftSaved{w.Name, w.Rev, w.Created, itemsOf(checked.Problems), itemsOf(checked.Warnings)}}
	if w.Created {
		out.Status = 201
	}
	return out, nil
}

// Validation is the verdict on a document.
type Validation struct {
	Valid    bool          `json:"valid" doc:"Whether it could be published"`
	Problems []ProblemItem `json:"problems" nullable:"false"`
	Warnings []ProblemItem `json:"warnings" nullable:"false"`
}

// validateAutomation reports every problem of a document at once. Text that is no JSON is refused as such.
func (s *server) validateAutomation(ctx context.Context, in *struct {
	InProject
	Body json.RawMessage `doc:"A document pawl-automation@1"`
},
) (*struct{ Body Validation }, error) {
	checked, err := s.Documents.Check(ctx, projectOf(ctx).ID, in.Body)
	if err != nil {
		var list fault.List
		if p := newProblem(err, ""); errors.As(err, &list) && p.Status == 422 {
			return &struct{ Body Validation }{Validation{false, p.items(), []ProblemItem{}}}, nil
		}
		return nil, err
	}
	return &struct{ Body Validation }{Validation{len(checked.Problems) == 0, itemsOf(checked.Problems), itemsOf(checked.Warnings)}}, nil
}

// PublishRequest publishes the draft.
type PublishRequest struct {
	Message string `json:"message,omitempty" maxLength:"2000" doc:"What changed, for the list of versions"`
}

// Published is what publishing gives.
type Published struct {
	VersionInfo
	Changed  bool          `json:"changed" doc:"false when the live version is this very document already"`
	Warnings []ProblemItem `json:"warnings" nullable:"false"`
}

func (s *server) publishAutomation(ctx context.Context, in *struct {
	InAutomation
	IfMatch string `header:"If-Match" maxLength:"100" doc:"The ETag of the draft that is meant; optional"`
	Body    *PublishRequest
},
) (*struct{ Body Published }, error) {
	project := projectOf(ctx)
	a, err := s.Store.AutomationByName(ctx, project.ID, in.Name)
	if err != nil {
		return nil, err
	}
	p := store.Publication{Name: a.Name, Rev: a.DraftRev, Actor: auth.CallerOf(ctx).Actor()}
	if in.IfMatch != "" {
		rev, err := parseETag(in.IfMatch)
		if err == nil && rev != a.DraftRev {
			err = fault.New(fault.Conflict, reasonStale, "The draft of %q is at revision %d, not %d. Read it again, then publish.", a.Name, a.DraftRev, rev).With("rev", a.DraftRev)
		}
		if err != nil {
			return nil, err
		}
	}
	if in.Body != nil {
		p.Message = in.Body.Message
	}
	checked, err := s.publishable(ctx, project.ID, a.Draft)
	if err != nil {
		return nil, err
	}
	p.Digest, p.Body = checked.Digest, checked.Body
	v, made, err := s.Store.PublishAutomation(ctx, project.ID, p)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Published }{Published{versionInfo(v, &v.Version), made, itemsOf(checked.Warnings)}}, nil
}

// publishable checks a draft: one with problems can neither be published nor tested, since a test does the steps before
// the problem for real.
func (s *server) publishable(ctx context.Context, project uuid.UUID, draft []byte) (CheckedDocument, error) {
	checked, err := s.Documents.Check(ctx, project, draft)
	if err == nil {
		err = checked.Problems.Err()
	}
	return checked, err
}

// RevertRequest makes a version the draft again.
type RevertRequest struct {
	Version int `json:"version" minimum:"1"`
}

func (s *server) revertAutomation(ctx context.Context, in *struct {
	InAutomation
	Condition
	Body RevertRequest
},
) (*draftOutput, error) {
	a, err := s.Store.AutomationByName(ctx, projectOf(ctx).ID, in.Name)
	if err != nil {
		return nil, err
	}
	_, body, err := s.Store.AutomationVersion(ctx, a.ID, in.Body.Version)
	if err != nil {
		return nil, err
	}
	return s.saveDraft(ctx, in.Name, in.Condition, body)
}

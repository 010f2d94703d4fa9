package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/automation"
	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// StartRequest asks for a run.
type StartRequest struct {
	Project    uuid.UUID
	Automation uuid.UUID
	// Version is a published version; nil is the live one, unless Draft is set.
	Version *int
	Draft   bool
	// Input is a JSON object; nil is an empty one.
	Input json.RawMessage
	// StartKey makes the start happen once: the same key gives the same run. Empty is a key of its own.
	StartKey string
	// GivenKey is the part of StartKey that the caller chose, for messages.
	GivenKey string
	Trigger  string // manual or api
	// TriggerData is what expressions read as trigger.
	TriggerData json.RawMessage
	Actor       string
	LocalOnly   bool
}

// Runs is what a starter needs of the database to queue runs; store.Store implements it.
type Runs interface {
	Choose(ctx context.Context, q store.Choice) (store.Chosen, error)
	UsableAccounts(ctx context.Context, project uuid.UUID, identities []connections.ConnectionIdentity) ([]store.UsableAccount, error)
	InsertRun(ctx context.Context, r *store.NewRun) (made bool, err error)
	RunOfStartKey(ctx context.Context, automation uuid.UUID, key string) (store.Started, error)
}

// Documents keeps the documents that runs follow; store.Store implements it.
type Documents interface {
	Document(ctx context.Context, digest []byte) ([]byte, error)
	KeepDocument(ctx context.Context, digest [32]byte, body []byte) error
}

// Rows is what a starter needs of the database.
type Rows interface {
	Runs
	Documents
	Control
	Calls
}

// Starter starts, cancels and settles runs by their rows. It needs no Temporal: the workers look at the rows.
type Starter struct {
	runs Rows
	// queued and changed tell the workers; they must not block.
	queued  func()
	changed func(uuid.UUID)

	mu        sync.Mutex
	documents map[[32]byte]*automation.Document
}

// NewStarter makes a starter. queued is called after a run was queued, changed after a run's rows changed.
func NewStarter(runs Rows, queued func(), changed func(uuid.UUID)) *Starter {
	return &Starter{runs: runs, queued: queued, changed: changed, documents: map[[32]byte]*automation.Document{}}
}

// chosen is the automation and the document of a run to start.
type chosen struct {
	store.Chosen
	body []byte // of a draft
}

// Start queues a run, or gives the run that the start key already made. The input is checked against the automation's
// inputs, and the accounts are frozen.
func (s *Starter) Start(ctx context.Context, q StartRequest) (id uuid.UUID, existing bool, err error) {
	if q.Input == nil {
		q.Input = json.RawMessage(`{}`)
	}
	c, err := s.choose(ctx, q)
	if err != nil {
		return uuid.Nil, false, err
	}
	doc, err := s.document(ctx, c)
	if err != nil {
		return uuid.Nil, false, err
	}
	if err := doc.ValidateInput(q.Input).Err(); err != nil {
		return uuid.Nil, false, err
	}
	accounts, err := s.freezeAccounts(ctx, q.Project, doc)
	if err != nil {
		return uuid.Nil, false, err
	}
	id, existing, err = s.insert(ctx, q, c, accounts)
	if err == nil && !existing {
		s.queued()
		s.changed(id)
	}
	return id, existing, err
}

// document gives the decoded document of a run to start. Documents never change, so the last ones are kept.
func (s *Starter) document(ctx context.Context, c *chosen) (*automation.Document, error) {
	key := [32]byte(c.Digest)
	s.mu.Lock()
	doc := s.documents[key]
	s.mu.Unlock()
	if doc != nil {
		return doc, nil
	}
	body := c.body
	if body == nil {
		var err error
		if body, err = s.runs.Document(ctx, c.Digest); err != nil {
			return nil, err
		}
	}
	doc, problems := automation.Decode(body)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.documents) >= documentsMax {
		clear(s.documents)
	}
	s.documents[key] = doc
	return doc, nil
}

func (s *Starter) choose(ctx context.Context, q StartRequest) (*chosen, error) {
	found, err := s.runs.Choose(ctx, store.Choice{Project: q.Project, Automation: q.Automation, Version: q.Version, Draft: q.Draft})
	c := &chosen{Chosen: found}
	switch {
	case err != nil:
		return nil, err
	case q.Draft && c.Draft == nil:
		return nil, fault.New(fault.Conflict, "no_draft", "%s has no draft to run.", c.Name)
	case q.Draft:
		return c, s.keepDraft(ctx, c)
	case c.Version == nil && q.Version != nil:
		return nil, fault.New(fault.NotFound, "version", "%s has no version %d.", c.Name, *q.Version)
	case c.Version == nil:
		return nil, fault.New(fault.Conflict, "not_published", "%s is not published: publish it (pawl automation publish %s), or run its draft.", c.Name, c.Name)
	}
	return c, nil
}

// keepDraft stores the draft's document by its digest, so that the run stays on these bytes.
func (s *Starter) keepDraft(ctx context.Context, c *chosen) error {
	doc, problems := automation.Decode(c.Draft)
	if err := problems.Err(); err != nil {
		return err
	}
	digest := doc.Digest()
	c.Digest, c.body = digest[:], c.Draft
	return s.runs.KeepDocument(ctx, digest, c.Draft)
}

func (s *Starter) insert(ctx context.Context, q StartRequest, c *chosen, accounts []byte) (uuid.UUID, bool, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return id, false, fmt.Errorf("make a run id: %w", err)
	}
	key := q.StartKey
	if key == "" {
		key = id.String()
	}
	stage := "production"
	if q.Draft {
		stage = "test"
	}
	made, err := s.runs.InsertRun(ctx, &store.NewRun{
		ID: id, Project: q.Project, Automation: c.Automation, Version: c.Version, Digest: c.Digest, StartKey: key, Trigger: q.Trigger,
		TriggerData: q.TriggerData, Input: q.Input, Accounts: accounts, Stage: stage, LocalOnly: q.LocalOnly || c.LocalOnly, By: q.Actor,
	})
	if err != nil {
		return uuid.Nil, false, err
	}
	if made {
		return id, false, nil
	}
	return s.sameStart(ctx, q, c, key)
}

// sameStart gives the run that a start key already made; another body under the same key is a mistake.
func (s *Starter) sameStart(ctx context.Context, q StartRequest, c *chosen, key string) (uuid.UUID, bool, error) {
	was, err := s.runs.RunOfStartKey(ctx, c.Automation, key)
	if err != nil {
		return uuid.Nil, false, err
	}
	if other := differs(q, was); other != "" {
		return uuid.Nil, false, fault.New(fault.Conflict, "idempotency_key", "The Idempotency-Key %q was used before, for run %s with %s: use a new key.", q.GivenKey, was.Run, other).
			With("run", was.Run)
	}
	return was.Run, true, nil
}

// differs says in what a start is another one than that of a run; empty where it is the same. A start without a version
// is the same as one that got the version which was live then.
func differs(q StartRequest, was store.Started) string {
	switch {
	case q.Draft && was.Version != nil:
		return fmt.Sprintf("version %d instead of the draft", *was.Version)
	case !q.Draft && was.Version == nil:
		return "the draft instead of a version"
	case q.Version != nil && *q.Version != *was.Version:
		return fmt.Sprintf("version %d", *was.Version)
	case q.LocalOnly && !was.LocalOnly:
		return "leave to call external actions"
	case !sameJSON(q.Input, was.Input):
		return "another input"
	}
	return ""
}

// sameJSON says whether two texts are the same value, however it is written.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := canon.Digest(a)
	y, other := canon.Digest(b)
	return err == nil && other == nil && x == y
}

// freezeAccounts maps what the steps name to account ids, as they are now. What is missing is left out: the step that
// needs it says so.
func (s *Starter) freezeAccounts(ctx context.Context, project uuid.UUID, doc *automation.Document) ([]byte, error) {
	wanted, identities := accountsNamed(doc)
	if len(wanted) == 0 {
		return []byte(`{}`), nil
	}
	found, err := s.runs.UsableAccounts(ctx, project, identities)
	if err != nil {
		return nil, err
	}
	frozen := map[string]uuid.UUID{}
	for _, w := range wanted {
		var match []store.UsableAccount
		for _, a := range found {
			if a.Identity == w.identity && (w.name == "" || a.Name == w.name) {
				match = append(match, a)
			}
		}
		if len(match) == 1 { // a step that names none takes the only one there is
			frozen[string(w.identity)+" "+w.name] = match[0].ID
		}
	}
	return json.Marshal(frozen)
}

// named is an account as a step names it.
type named struct {
	identity connections.ConnectionIdentity
	name     string
}

func accountsNamed(doc *automation.Document) (wanted []named, identities []connections.ConnectionIdentity) {
	seen := map[named]bool{}
	doc.Walk(func(s *automation.Step) {
		id, err := connections.ParseAction(s.Action)
		w := named{id.Connection(), s.Account}
		if s.Type != automation.TypeAction || err != nil || seen[w] {
			return
		}
		seen[w] = true
		wanted, identities = append(wanted, w), append(identities, w.identity)
	})
	return wanted, identities
}

package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/connections"
	"pawl/internal/automation"
	"pawl/internal/fault"
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
	Trigger  string // manual, api, replay
	// TriggerData is what expressions read as trigger.
	TriggerData json.RawMessage
	Actor       string
	LocalOnly   bool
	ReplayOf    *uuid.UUID
}

// Starter starts, cancels and settles runs by their rows. It needs no Temporal: the workers look at the rows.
type Starter struct {
	pool  *pgxpool.Pool
	epoch int64
	// queued and changed tell the workers; they must not block.
	queued  func()
	changed func(uuid.UUID)

	mu        sync.Mutex
	documents map[[32]byte]*automation.Document
}

// NewStarter makes a starter. queued is called after a run was queued, changed after a run's rows changed.
func NewStarter(pool *pgxpool.Pool, epoch int64, queued func(), changed func(uuid.UUID)) *Starter {
	return &Starter{pool: pool, epoch: epoch, queued: queued, changed: changed, documents: map[[32]byte]*automation.Document{}}
}

// chosen is the automation and the document of a run to start.
type chosen struct {
	automation uuid.UUID
	name       string
	version    *int
	digest     []byte
	body       []byte
	localOnly  bool
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
	key := [32]byte(c.digest)
	s.mu.Lock()
	doc := s.documents[key]
	s.mu.Unlock()
	if doc != nil {
		return doc, nil
	}
	if c.body == nil {
		if err := s.pool.QueryRow(ctx, `select body from document where digest = $1`, c.digest).Scan(&c.body); err != nil {
			return nil, fmt.Errorf("read the document: %w", err)
		}
	}
	doc, problems := automation.Decode(c.body)
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

const chooseSQL = `select a.id, a.name, p.local_only, case when $3 then a.draft end, v.version, v.digest
from automation a join project p on p.id = a.project_id
left join automation_version v on not $3 and v.automation_id = a.id and v.version = coalesce($4::int, a.live_version)
where a.id = $1 and a.project_id = $2 and a.removed_at is null`

func (s *Starter) choose(ctx context.Context, q StartRequest) (*chosen, error) {
	var c chosen
	var draft []byte
	err := s.pool.QueryRow(ctx, chooseSQL, q.Automation, q.Project, q.Draft, q.Version).Scan(&c.automation, &c.name, &c.localOnly, &draft, &c.version, &c.digest)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, fault.New(fault.NotFound, "automation", "This project has no such automation.")
	case err != nil:
		return nil, fmt.Errorf("find the automation: %w", err)
	case q.Draft && draft == nil:
		return nil, fault.New(fault.Conflict, "no_draft", "%s has no draft to run.", c.name)
	case q.Draft:
		return &c, s.keepDraft(ctx, &c, draft)
	case c.version == nil && q.Version != nil:
		return nil, fault.New(fault.NotFound, "version", "%s has no version %d.", c.name, *q.Version)
	case c.version == nil:
		return nil, fault.New(fault.Conflict, "not_published", "%s is not published: publish it (pawl automation publish %s), or run its draft.", c.name, c.name)
	}
	return &c, nil
}

// keepDraft stores the draft's document by its digest, so that the run stays on these bytes.
func (s *Starter) keepDraft(ctx context.Context, c *chosen, draft []byte) error {
	doc, problems := automation.Decode(draft)
	if err := problems.Err(); err != nil {
		return err
	}
	digest := doc.Digest()
	c.digest, c.body = digest[:], draft
	if _, err := s.pool.Exec(ctx, `insert into document (digest, body) values ($1, $2) on conflict do nothing`, c.digest, draft); err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	return nil
}

const insertSQL = `insert into run (id, project_id, automation_id, version, digest, start_key, trigger, trigger_data, input, accounts, stage, local_only, replay_of, epoch, created_by)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict on constraint run_start_key_once do nothing`

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
	tag, err := s.pool.Exec(ctx, insertSQL, id, q.Project, c.automation, c.version, c.digest, key, q.Trigger, text(q.TriggerData), string(q.Input),
		string(accounts), stage, q.LocalOnly || c.localOnly, q.ReplayOf, s.epoch, q.Actor)
	if err != nil {
		return uuid.Nil, false, fmt.Errorf("queue the run: %w", err)
	}
	if tag.RowsAffected() > 0 {
		return id, false, nil
	}
	return s.sameStart(ctx, c, key, q.Input)
}

// sameStart gives the run that a start key already made; another input under the same key is a mistake.
func (s *Starter) sameStart(ctx context.Context, c *chosen, key string, input []byte) (uuid.UUID, bool, error) {
	var id uuid.UUID
	var was string
	if err := s.pool.QueryRow(ctx, `select id, input from run where automation_id = $1 and start_key = $2`, c.automation, key).Scan(&id, &was); err != nil {
		return id, false, fmt.Errorf("find the run of a start key: %w", err)
	}
	if was != string(input) {
		return uuid.Nil, false, fault.New(fault.Conflict, "idempotency_key", "The Idempotency-Key %.80q was used for run %s with another input: use a new key.", key, id)
	}
	return id, true, nil
}

func text(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}

// freezeAccounts maps what the steps name to account ids, as they are now. What is missing is left out: the step that
// needs it says so.
func (s *Starter) freezeAccounts(ctx context.Context, project uuid.UUID, doc *automation.Document) ([]byte, error) {
	wanted, idents := accountsNamed(doc)
	if len(wanted) == 0 {
		return []byte(`{}`), nil
	}
	rows, err := s.pool.Query(ctx, `select identity, name, id from account where project_id = $1 and identity = any($2) and removed_at is null`, project, idents)
	if err != nil {
		return nil, fmt.Errorf("find the accounts: %w", err)
	}
	type account struct {
		Identity, Name string
		ID             uuid.UUID
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[account])
	if err != nil {
		return nil, fmt.Errorf("find the accounts: %w", err)
	}
	frozen := map[string]uuid.UUID{}
	for _, w := range wanted {
		var match []account
		for _, a := range found {
			if a.Identity == w.Identity && (w.Name == "" || a.Name == w.Name) {
				match = append(match, a)
			}
		}
		if len(match) == 1 { // a step that names none takes the only one there is
			frozen[w.Identity+" "+w.Name] = match[0].ID
		}
	}
	return json.Marshal(frozen)
}

// named is an account as a step names it.
type named struct{ Identity, Name string }

func accountsNamed(doc *automation.Document) (wanted []named, idents []string) {
	seen := map[named]bool{}
	doc.Walk(func(s *automation.Step) {
		id, err := connections.ParseAction(s.Action)
		w := named{string(id.Connection()), s.Account}
		if s.Type != automation.TypeAction || err != nil || seen[w] {
			return
		}
		seen[w] = true
		wanted, idents = append(wanted, w), append(idents, w.Identity)
	})
	return wanted, idents
}

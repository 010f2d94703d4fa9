// Package lab assembles the real parts of Pawl for tests and benchmarks: a database, the embedded Temporal, an engine
// and an app behind HTTPS.
package lab

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"pawl/actions/egress"
	"pawl/actions/jsbox"
	"pawl/connections"
	"pawl/connections/release"
	"pawl/connections/vault"
	"pawl/internal/automation"
	"pawl/internal/engine"
	"pawl/internal/launch"
	"pawl/internal/store"
)

// Lab is one installation with one worker process.
type Lab struct {
	Pool     *pgxpool.Pool
	Store    *store.Store
	Vault    *vault.Vault
	Target   *Target
	Project  uuid.UUID
	Starter  *launch.Starter
	Stages   release.Stages
	Accounts connections.Accounts
	Grants   connections.Grants
	Engine   *engine.Engine
	Log      *slog.Logger
	// Ended, when set before the start, is told of runs that end.
	Ended func(run uuid.UUID, state string)

	temporal  string
	taskQueue string
	opened    []client.Client
	sandbox   *jsbox.Engine
}

// New assembles a lab on a migrated database and a running Temporal. It has one project and no engine yet.
func New(ctx context.Context, pool *pgxpool.Pool, temporal string, log *slog.Logger) (*Lab, error) {
	master, err := vault.NewMasterKey()
	if err != nil {
		return nil, err
	}
	v, err := vault.New(master)
	if err != nil {
		return nil, err
	}
	box, err := jsbox.New(jsbox.Config{})
	if err != nil {
		return nil, err
	}
	s := store.New(pool)
	l := &Lab{
		Pool: pool, Store: s, Vault: v, Target: NewTarget(), Project: uuid.New(), Stages: release.Stages{Store: s}, Log: log,
		temporal: temporal, taskQueue: "lab-" + uuid.NewString(), sandbox: box,
	}
	declared := release.Declared{Store: s}
	l.Accounts = connections.Accounts{Store: s, Vault: v, Declarations: declared}
	l.Grants = connections.Grants{Store: s, Declarations: declared}
	if _, err := pool.Exec(ctx, `insert into project (id, name) values ($1, 'default')`, l.Project); err != nil {
		return nil, err
	}
	l.Starter = launch.NewStarter(s, l.poke, func(uuid.UUID) {})
	return l, nil
}

func (l *Lab) poke() {
	if l.Engine != nil {
		l.Engine.Launcher().Poke()
	}
}

// Guard reaches the target under its public name and nothing else inside.
func (l *Lab) Guard() *egress.Guard {
	pool := x509.NewCertPool()
	pool.AddCert(l.Target.Server.Certificate())
	return egress.New(egress.Config{
		CA: pool, Allow: egress.Allow{Host: {netip.MustParsePrefix("127.0.0.0/8")}},
		ConnectTo: egress.ConnectTo{Host: l.Target.Server.Listener.Addr().String()},
	})
}

// NewEngine assembles a worker process, with clients options of the caller's.
func (l *Lab) NewEngine(ctx context.Context, name string, alone bool, change func(*client.Options)) (*engine.Engine, error) {
	opts := client.Options{HostPort: l.temporal, Namespace: "default", Logger: sdklog.NewStructuredLogger(l.Log)}
	if change != nil {
		change(&opts)
	}
	c, err := client.Dial(opts)
	if err != nil {
		return nil, err
	}
	l.opened = append(l.opened, c)
	return engine.New(ctx, engine.Config{
		Pool: l.Pool, Temporal: c, Vault: l.Vault, Guard: l.Guard(), Sandbox: l.sandbox, Log: l.Log, Version: "test",
		TaskQueue: l.taskQueue, Process: name, Ended: l.Ended, Alone: alone,
	})
}

// Start starts the lab's own engine.
func (l *Lab) Start(ctx context.Context) error {
	e, err := l.NewEngine(ctx, "lab", true, nil)
	if err != nil {
		return err
	}
	l.Engine = e
	return e.Start()
}

// Temporal is the address of the Temporal server.
func (l *Lab) Temporal() string { return l.temporal }

// History is how large the histories of a run became.
type History struct {
	Walks  int // continued as new, and the first
	Events int64
	Bytes  int64
}

// LongestHistory follows a run's chain of workflows from its last one back to the first.
func (l *Lab) LongestHistory(t testing.TB, run uuid.UUID) History {
	t.Helper()
	ctx := context.Background()
	var h History
	for id := ""; ; h.Walks++ {
		d, err := l.opened[0].DescribeWorkflowExecution(ctx, run.String(), id)
		if err != nil {
			t.Fatal(err)
		}
		info := d.GetWorkflowExecutionInfo()
		h.Events, h.Bytes = max(h.Events, info.GetHistoryLength()), max(h.Bytes, info.GetHistorySizeBytes())
		it := l.opened[0].GetWorkflowHistory(ctx, run.String(), info.GetExecution().GetRunId(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		first, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		if id = first.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId(); id == "" {
			h.Walks++
			return h
		}
	}
}

// Lose ends the workflow of a run behind Pawl's back, as a lost Temporal does.
func (l *Lab) Lose(t testing.TB, run uuid.UUID) {
	t.Helper()
	if err := l.opened[0].TerminateWorkflow(context.Background(), run.String(), "", "lost"); err != nil {
		t.Fatal(err)
	}
}

// Histories reads the histories of a run, its last workflow first.
func (l *Lab) Histories(t testing.TB, run uuid.UUID) []*history.History {
	t.Helper()
	var all []*history.History
	for id := ""; ; {
		it := l.opened[0].GetWorkflowHistory(context.Background(), run.String(), id, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		h := &history.History{}
		for it.HasNext() {
			e, err := it.Next()
			if err != nil {
				t.Fatal(err)
			}
			h.Events = append(h.Events, e)
		}
		all = append(all, h)
		if id = h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId(); id == "" {
			return all
		}
	}
}

// Close ends what the lab began; the database and Temporal are the caller's.
func (l *Lab) Close() {
	if l.Engine != nil {
		_ = l.Engine.Stop(context.Background())
	}
	_ = l.sandbox.Close(context.Background())
	for _, c := range l.opened {
		c.Close()
	}
	l.Target.Close()
}

// Release takes a plugin file through all stages.
func (l *Lab) Release(ctx context.Context, file []byte) error {
	var p struct{ Manifest struct{ ID string } }
	if err := json.Unmarshal(file, &p); err != nil {
		return err
	}
	if _, err := l.Stages.Push(ctx, "", file, nil, "lab"); err != nil {
		return err
	}
	if _, err := l.Stages.ToPreview(ctx, p.Manifest.ID, nil, "lab"); err != nil {
		return err
	}
	_, err := l.Stages.ToProduction(ctx, p.Manifest.ID, nil, "lab")
	return err
}

// Account sets the account main of an identity.
func (l *Lab) Account(ctx context.Context, identity connections.ConnectionIdentity) error {
	_, err := l.Accounts.Set(ctx, connections.AccountKey{Project: l.Project, Identity: identity, Name: "main"}, vault.NewSecret("lab-secret-key"), "lab")
	return err
}

// Grant grants actions of an identity.
func (l *Lab) Grant(ctx context.Context, identity connections.ConnectionIdentity, actions ...string) error {
	for _, a := range actions {
		target := connections.GrantTarget{Kind: connections.GrantAction, Action: connections.ActionIdentity(string(identity) + "." + a)}
		if _, err := l.Grants.Add(ctx, l.Project, target, "lab"); err != nil {
			return err
		}
	}
	return nil
}

// GrantHost lets a plugin's module reach a host.
func (l *Lab) GrantHost(ctx context.Context, plugin, host string) error {
	_, err := l.Grants.Add(ctx, l.Project, connections.GrantTarget{Kind: connections.GrantHost, Plugin: plugin, Host: host}, "lab")
	return err
}

// Publish makes and publishes an automation and gives its id.
func (l *Lab) Publish(ctx context.Context, name, document string) (uuid.UUID, error) {
	if _, err := l.Store.PutDrafts(ctx, l.Project, []store.AutomationDraft{{Name: name, Body: []byte(document)}}, "lab"); err != nil {
		return uuid.Nil, err
	}
	a, err := l.Store.AutomationByName(ctx, l.Project, name)
	if err != nil {
		return uuid.Nil, err
	}
	doc, problems := automation.Decode([]byte(document))
	if err := problems.Err(); err != nil {
		return uuid.Nil, err
	}
	_, _, err = l.Store.PublishAutomation(ctx, l.Project, store.Publication{Name: name, Rev: a.DraftRev, Digest: doc.Digest(), Body: doc.Canonical(), Actor: "lab"})
	return a.ID, err
}

// Run starts a run of a published automation.
func (l *Lab) Run(ctx context.Context, automation uuid.UUID, input string) (uuid.UUID, error) {
	id, _, err := l.Starter.Start(ctx, launch.StartRequest{Project: l.Project, Automation: automation, Input: json.RawMessage(input), Trigger: "api", Actor: "lab"})
	return id, err
}

// State reads a run's state and error.
func (l *Lab) State(ctx context.Context, run uuid.UUID) (state, problem string, err error) {
	err = l.Pool.QueryRow(ctx, `select state, coalesce(error, '') from run where id = $1`, run).Scan(&state, &problem)
	return state, problem, err
}

// WaitFor waits until a run has one of the states, and fails the test when that takes longer than most.
func (l *Lab) WaitFor(t testing.TB, run uuid.UUID, most time.Duration, states ...string) string {
	t.Helper()
	deadline := time.Now().Add(most)
	for {
		state, problem, err := l.State(context.Background(), run)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range states {
			if s == state {
				return problem
			}
		}
		if time.Now().After(deadline) || state == "failed" || state == "succeeded" || state == "cancelled" {
			t.Fatalf("run %s is %s (%s), want %s\n%s", run, state, problem, strings.Join(states, " or "), l.Describe(run))
		}
		<-time.After(20 * time.Millisecond)
	}
}

// Describe lists what the ledger has of a run, for messages.
func (l *Lab) Describe(run uuid.UUID) string {
	rows, err := l.Pool.Query(context.Background(), `select path || ' #' || n || ' ' || effect || ' ' || state || ' again=' || again || ' ' || coalesce(error, '') from attempt where run_id = $1
		union all select path || ' ' || kind || ' ' || label || ' ' || coalesce(error, '') from decision where run_id = $1
		union all select path || ' wait ' || kind || ' open=' || (done_at is null) || ' woken=' || (woken_at is not null) from wait where run_id = $1 order by 1 limit 60`, run)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var s string
		if rows.Scan(&s) == nil {
			fmt.Fprintln(&b, " ", s)
		}
	}
	return b.String()
}

// Sandbox is the engine in which the lab's modules run.
func (l *Lab) Sandbox() *jsbox.Engine { return l.sandbox }

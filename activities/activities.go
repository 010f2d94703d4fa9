package activities

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"

	"pawl/actions/httpcall"
	"pawl/connections"
	"pawl/internal/compile"
	"pawl/internal/ledger"
	"pawl/internal/sandbox"
	"pawl/workflows"
)

// Store reads what never changes.
type Store interface {
	// Document reads an automation's document by its digest.
	Document(ctx context.Context, digest []byte) ([]byte, error)
	// ReleaseByID reads a frozen release.
	ReleaseByID(ctx context.Context, id uuid.UUID) (document, settings []byte, err error)
	// CurrentIdentity is the routable identity of the same source entry; empty for none.
	CurrentIdentity(ctx context.Context, identity connections.ConnectionIdentity, scope uuid.UUID) (connections.ConnectionIdentity, error)
	// HostGranted says whether a project lets a plugin's module reach a host.
	HostGranted(ctx context.Context, project uuid.UUID, plugin, host string) (bool, error)
}

// Vault opens a sealed secret.
type Vault interface {
	Open(id uuid.UUID, version int, sealed []byte) (httpcall.Secret, error)
}

// Client sends requests.
type Client interface {
	Do(ctx context.Context, x *httpcall.Exchange) (*httpcall.Answer, error)
}

// Config wires the activities. All members but Changed and Ended are needed.
type Config struct {
	Ledger *ledger.Ledger
	Store  Store
	Vault  Vault
	Client Client
	Box    *sandbox.Box // runs the modules of plugins
	Log    *slog.Logger
	// Alone says that no other process serves this installation: claims of other owners are known to be dead.
	Alone bool
	// Changed is called when a run's rows changed, for those who watch it. It must not block.
	Changed func(run uuid.UUID)
	// Ended is called when this process recorded the end of a run. It must not block.
	Ended func(run uuid.UUID, state string)
}

// Activities serves the activities of one process.
type Activities struct {
	cfg      Config
	calls    *calls
	runs     *cache[uuid.UUID, *runFacts]
	plans    *cache[[32]byte, *plan]
	catalog  *cache[releaseKey, compile.Catalog]
	reads    *cache[actionKey, struct{}] // actions that need no grant
	outputs  *cache[outputKey, any]
	items    *cache[chunkKey, []any]
	arriving *arriving
}

// New makes the activities of a process.
func New(cfg Config) *Activities {
	if cfg.Changed == nil {
		cfg.Changed = func(uuid.UUID) {}
	}
	if cfg.Ended == nil {
		cfg.Ended = func(uuid.UUID, string) {}
	}
	return &Activities{
		cfg: cfg, calls: newCalls(),
		runs: newCache[uuid.UUID, *runFacts](runsMax, 0), plans: newCache[[32]byte, *plan](plansMax, 0),
		catalog: newCache[releaseKey, compile.Catalog](releasesMax, 0), reads: newCache[actionKey, struct{}](readsMax, 0),
		outputs: newCache[outputKey, any](outputsMax, outputBytesMax), items: newCache[chunkKey, []any](chunksMax, chunkBytesMax), arriving: newArriving(),
	}
}

// Register names the activities on a worker.
func (a *Activities) Register(r worker.ActivityRegistry) {
	for name, f := range map[string]any{
		workflows.ActivityBegin: a.Begin, workflows.ActivityExecute: a.Execute, workflows.ActivityStretch: a.Stretch, workflows.ActivityAwait: a.Await,
		workflows.ActivityDecide: a.Decide, workflows.ActivityFrontier: a.Frontier, workflows.ActivityArrive: a.Arrive,
		workflows.ActivityLeave: a.Leave, workflows.ActivityLook: a.Look, workflows.ActivityFinish: a.Finish,
	} {
		r.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
}

// Drain lets no new attempt begin in this process and waits until those under way are recorded, or until ctx ends.
func (a *Activities) Drain(ctx context.Context) error { return a.calls.drain(ctx) }

// OnTheWire lists the runs with attempts under way in this process for longer than the given time.
func (a *Activities) OnTheWire(longer time.Duration) []uuid.UUID { return a.calls.runsLonger(longer) }

// Abort aborts the reads under way of a cancelled run but for those of finally blocks; effects end within their own
// timeout.
func (a *Activities) Abort(run uuid.UUID) {
	a.calls.abort(run, func(c *attemptCall) bool { return !c.finally })
}

// AbortAll aborts the reads of finally blocks too.
func (a *Activities) AbortAll(run uuid.UUID) {
	a.calls.abort(run, func(*attemptCall) bool { return true })
}

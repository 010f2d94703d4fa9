package launch

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"pawl/internal/store"
	"pawl/workflows"
)

// TaskQueue is the Temporal task queue of the workers of an installation, unless it is set otherwise.
const TaskQueue = "pawl"

// Reads aborts reads of cancelled runs; activities.Activities implements it.
type Reads interface {
	OnTheWire(longer time.Duration) []uuid.UUID
	Abort(run uuid.UUID)
	// AbortAll aborts those of finally blocks too.
	AbortAll(run uuid.UUID)
}

// Queue gives a process the runs that it is to start.
type Queue interface {
	ClaimQueued(ctx context.Context, process string, hold time.Duration, limit int) ([]uuid.UUID, error)
	FreeClaims(ctx context.Context) error
	ListAlive(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error)
}

// Nudges says which runs are to look at their rows again.
type Nudges interface {
	TakeNudges(ctx context.Context) ([]uuid.UUID, error)
	PutNudge(ctx context.Context, run uuid.UUID) error
	WakeHeld(ctx context.Context, limit int) ([]uuid.UUID, error)
	ListCancelled(ctx context.Context, runs []uuid.UUID) ([]store.Cancellation, error)
}

// Upkeep finds runs without progress and keeps the ledger ready.
type Upkeep interface {
	ListSilent(ctx context.Context, after uuid.UUID, silence time.Duration, limit int) ([]uuid.UUID, error)
	MarkStuck(ctx context.Context, run uuid.UUID, why *string) error
	MakePartitions(ctx context.Context, months int) error
}

// Listener hears what other processes say through the database.
type Listener interface {
	Listen(ctx context.Context, channels []string, heard func(channel, payload string)) error
}

// Store is what a launcher needs of the database; store.Store implements it.
type Store interface {
	Queue
	Nudges
	Upkeep
	Listener
}

// Versions notes in the history of plugins that kept versions are past their date; release.Stages implements it.
type Versions interface {
	ExpireKept(ctx context.Context, limit int, by string) (int, error)
}

// Config wires a launcher. All members are needed.
type Config struct {
	Store    Store
	Versions Versions
	Temporal client.Client
	Reads    Reads
	Log      *slog.Logger
	// TaskQueue is the Temporal task queue of the workers of this installation.
	TaskQueue string
	// Process names this process in claims.
	Process string
	// Alone says that no other process serves this installation: at the start all runs alive are taken up at once.
	Alone bool
}

// Launcher starts queued runs and keeps runs going, in one worker process.
type Launcher struct {
	cfg      Config
	queue    chan struct{} // "look at the queue"
	bindings chan struct{} // "look at the holds"
}

// New makes a launcher.
func New(cfg Config) *Launcher {
	return &Launcher{cfg: cfg, queue: make(chan struct{}, 1), bindings: make(chan struct{}, 1)}
}

// Poke says that a run was queued. It never blocks.
func (l *Launcher) Poke() { poke(l.queue) }

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Run works until ctx ends.
func (l *Launcher) Run(ctx context.Context) {
	if l.cfg.Alone {
		l.takeUp(ctx)
	}
	var wg sync.WaitGroup
	for _, loop := range []func(context.Context){l.listen, l.launchLoop, l.nudgeLoop, l.cancelLoop, l.wakeLoop, l.reconcileLoop} {
		wg.Go(func() { loop(ctx) })
	}
	wg.Wait()
}

// takeUp starts every run alive: one whose workflow lives is left alone, one whose workflow is lost walks again.
func (l *Launcher) takeUp(ctx context.Context) {
	if err := l.cfg.Store.FreeClaims(ctx); err != nil {
		l.cfg.Log.Warn("free the claims of an earlier process", "error", err)
	}
	after := uuid.Nil
	for ctx.Err() == nil {
		ids, err := l.cfg.Store.ListAlive(ctx, after)
		if err != nil {
			l.cfg.Log.Warn("take up runs", "error", err)
			return
		}
		if len(ids) == 0 {
			return
		}
		l.startAll(ctx, ids)
		after = ids[len(ids)-1]
	}
}

// launchLoop claims queued runs and starts their workflows.
func (l *Launcher) launchLoop(ctx context.Context) {
	slots := make(chan struct{}, starters)
	ids := make(chan uuid.UUID)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(ids)
	for range starters {
		wg.Go(func() {
			for id := range ids {
				l.start(ctx, id)
				<-slots
			}
		})
	}
	for wait(ctx, l.queue, queuePoll) {
		for l.claim(ctx, slots, ids) {
		}
	}
}

// claim claims as many runs as there are free starters, and says whether there may be more.
func (l *Launcher) claim(ctx context.Context, slots chan struct{}, ids chan<- uuid.UUID) bool {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	free := 1
	for more := true; more && free < claimMax; {
		select {
		case slots <- struct{}{}:
			free++
		default:
			more = false
		}
	}
	claimed, err := l.cfg.Store.ClaimQueued(ctx, l.cfg.Process, claimFor, free)
	if err != nil && ctx.Err() == nil {
		l.cfg.Log.Warn("claim queued runs", "error", err)
	}
	for range free - len(claimed) {
		<-slots
	}
	for _, id := range claimed {
		ids <- id
	}
	return len(claimed) == free
}

// wait waits for a poke or the time, and says whether to go on.
func wait(ctx context.Context, ch <-chan struct{}, most time.Duration) bool {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-ch:
		return true
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// start starts the workflow of a run that is claimed. It does so while the launcher stops, too: otherwise the run would wait until
// the claim is over.
func (l *Launcher) start(ctx context.Context, id uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
	defer cancel()
	if err := startWorkflow(ctx, l.cfg.Temporal, l.cfg.TaskQueue, id); err != nil && ctx.Err() == nil {
		l.cfg.Log.Warn("start the workflow of a run; it is tried again", "run", id, "error", err)
	}
}

func (l *Launcher) startAll(ctx context.Context, ids []uuid.UUID) {
	slots := make(chan struct{}, starters)
	var wg sync.WaitGroup
	for _, id := range ids {
		slots <- struct{}{}
		wg.Go(func() {
			l.start(ctx, id)
			<-slots
		})
	}
	wg.Wait()
}

// startWorkflow starts the workflow of a run, in this process where a worker of it is free. One that lives is left alone.
func startWorkflow(ctx context.Context, c client.Client, taskQueue string, id uuid.UUID) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id.String(), TaskQueue: taskQueue, WorkflowTaskTimeout: taskTimeout, EnableEagerStart: true,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, workflows.RunWorkflow, workflows.RunIn{Run: id.String()})
	if err != nil {
		return fmt.Errorf("start workflow %s: %w", id, err)
	}
	return nil
}

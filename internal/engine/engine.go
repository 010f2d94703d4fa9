// Package engine assembles a process that carries out runs: the ledger, the activities, the Temporal worker and the
// launcher. `pawl worker` and pawl-local run it.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"pawl/actions/egress"
	"pawl/actions/httpcall"
	"pawl/actions/jsbox"
	"pawl/activities"
	"pawl/connections/release"
	"pawl/connections/vault"
	"pawl/internal/launch"
	"pawl/internal/ledger"
	"pawl/internal/sandbox"
	"pawl/internal/store"
	"pawl/workflows"
)

const (
	// stopTimeout is how long an engine that was told to stop waits for attempts on the wire: without it every deploy
	// would make unknowns.
	stopTimeout = 45 * time.Second
	// workerStopTimeout is how long the SDK's worker may take after that to hand over what has ended.
	workerStopTimeout = 10 * time.Second
	// activitySlots, localSlots and taskSlots bound what a worker does at the same time.
	activitySlots = 400
	localSlots    = 400
	taskSlots     = 200
	// taskPollers is how many polls for workflow tasks are open at the same time.
	taskPollers = 8
)

// Config wires an engine. All members but TaskQueue and Ended are needed.
type Config struct {
	Pool     *pgxpool.Pool
	Temporal client.Client
	Vault    *vault.Vault
	Guard    *egress.Guard
	Sandbox  *jsbox.Engine // runs the modules of plugins; the caller closes it after Stop
	Log      *slog.Logger
	Version  string
	// TaskQueue is the Temporal task queue; empty is launch.TaskQueue.
	TaskQueue string
	// Ended, when set, is called when this process recorded the end of a run. It must not block.
	Ended func(run uuid.UUID, state string)
	// Process names this process in claims and logs.
	Process string
	// Alone says that no other process serves this installation, as in pawl-local: an earlier process is then known
	// to be dead, and nothing waits for its leases.
	Alone bool
}

// Engine carries out runs until it is stopped.
type Engine struct {
	cfg      Config
	ledger   *ledger.Ledger
	client   *httpcall.Client
	acts     *activities.Activities
	worker   worker.Worker
	launcher *launch.Launcher
	notifier *launch.Notifier
	cancel   context.CancelFunc
	wg       sync.WaitGroup
}

// New assembles an engine; Start begins its work.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	if cfg.TaskQueue == "" {
		cfg.TaskQueue = launch.TaskQueue
	}
	_, err := ledger.Epoch(ctx, cfg.Pool)
	if err != nil {
		return nil, err
	}
	e := &Engine{cfg: cfg, ledger: ledger.New(cfg.Pool), client: httpcall.New(httpcall.Config{Guard: cfg.Guard, Version: cfg.Version})}
	st := store.New(cfg.Pool)
	e.notifier = launch.NewNotifier(st, cfg.Log)
	e.acts = activities.New(activities.Config{
		Ledger: e.ledger, Store: st, Vault: opener{cfg.Vault}, Client: e.client,
		Box: &sandbox.Box{Engine: cfg.Sandbox, Client: e.client},
		Log: cfg.Log, Alone: cfg.Alone, Changed: e.notifier.Changed, Ended: cfg.Ended,
	})
	e.worker = worker.New(cfg.Temporal, cfg.TaskQueue, worker.Options{
		Identity: cfg.Process, WorkerStopTimeout: workerStopTimeout, MaxConcurrentActivityExecutionSize: activitySlots,
		MaxConcurrentLocalActivityExecutionSize: localSlots, MaxConcurrentWorkflowTaskExecutionSize: taskSlots,
		MaxConcurrentEagerActivityExecutionSize: activitySlots, MaxConcurrentWorkflowTaskPollers: taskPollers,
		DisableRegistrationAliasing: true,
	})
	e.worker.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: workflows.RunWorkflow})
	e.acts.Register(e.worker)
	e.launcher = launch.New(launch.Config{
		Store: st, Versions: release.Stages{Store: st}, Temporal: cfg.Temporal, Reads: e.acts, Log: cfg.Log,
		TaskQueue: cfg.TaskQueue, Process: cfg.Process, Alone: cfg.Alone,
	})
	return e, nil
}

// Launcher starts queued runs in this process; poke it after a start in the same process.
func (e *Engine) Launcher() *launch.Launcher { return e.launcher }

// Notifier tells other processes of changes.
func (e *Engine) Notifier() *launch.Notifier { return e.notifier }

// Start begins to take work. It returns when the worker polls.
func (e *Engine) Start() error {
	if err := e.worker.Start(); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	e.wg.Go(func() { e.launcher.Run(ctx) })
	e.wg.Go(func() { e.notifier.Run(ctx) })
	return nil
}

// Stop lets nothing new begin, waits until attempts on the wire are recorded, at most stopTimeout, and ends the worker.
func (e *Engine) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	e.cancel()
	err := e.acts.Drain(ctx)
	e.worker.Stop()
	e.wg.Wait()
	e.ledger.Close()
	e.client.Close()
	if err != nil {
		return errors.Join(errors.New("attempts were still on the wire when the time to stop was over"), err)
	}
	return nil
}

// opener opens the secrets of accounts for the adapter.
type opener struct{ vault *vault.Vault }

// Open opens one sealed secret.
func (o opener) Open(id uuid.UUID, version int, sealed []byte) (httpcall.Secret, error) {
	return o.vault.Open(vault.Row{ID: id, Version: version}, sealed)
}

package jsbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"pawl/actions/jsbox/wasm"
	"pawl/internal/fault"
)

// Config says how an Engine runs. The zero value is ready for use.
type Config struct {
	// CacheDir is a folder for the engine's machine code, so that the next process starts in a tenth of the time. Nobody
	// but us may write to it. "" keeps the code in memory only.
	CacheDir string
	// Concurrency is how many modules run at once; 0 = DefaultConcurrency. Others wait.
	Concurrency int
	// Modules is how many loaded modules are kept; 0 = DefaultModules. The least recently used goes first.
	Modules int
	// Time bounds one call, and the loading of a module; 0 = MaxTime, which is also the most.
	Time time.Duration
	// MemoryBytes bounds the values of one call; 0 = MaxMemoryBytes, which is also the most.
	MemoryBytes int
	// Random is the source behind Math.random and crypto; nil = crypto/rand. Calls read it at the same time.
	Random io.Reader
}

func (c Config) orDefault() Config {
	if c.Concurrency <= 0 {
		c.Concurrency = DefaultConcurrency
	}
	if c.Modules <= 0 {
		c.Modules = DefaultModules
	}
	if c.Time <= 0 || c.Time > MaxTime {
		c.Time = MaxTime
	}
	if c.MemoryBytes <= 0 || c.MemoryBytes > MaxMemoryBytes {
		c.MemoryBytes = MaxMemoryBytes
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	return c
}

// Engine runs modules. It is safe for use by several goroutines.
type Engine struct {
	config   Config
	slots    chan struct{}
	memories *memories
	loaded   modules
	grace    time.Duration
	// alive ends when the engine is closed.
	alive context.Context
	end   context.CancelFunc

	mutex    sync.Mutex // guards what follows
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	cache    wazero.CompilationCache
	base     *image
}

// New makes an Engine. It compiles nothing yet: the first Load or Start does, and says what is missing.
func New(config Config) (*Engine, error) {
	config = config.orDefault()
	alive, end := context.WithCancel(context.Background())
	e := &Engine{
		config:   config,
		slots:    make(chan struct{}, config.Concurrency),
		memories: newMemories(config.Concurrency),
		loaded:   newModules(config.Modules),
		grace:    grace,
		alive:    alive,
		end:      end,
	}
	if config.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(config.CacheDir)
		if err != nil {
			end()
			return nil, fmt.Errorf("open the folder for the sandbox's machine code: %w", err)
		}
		e.cache = cache
	}
	return e, nil
}

// Start compiles the engine, which takes about a second without a cache, and makes the realm from which all modules
// start. Load does it by itself; a process that wants its first call to be quick, or to know whether the sandbox works
// on this machine, does it before. The fault is sandbox_unavailable, with reason engine_missing, engine_changed,
// platform, engine_broken or closed.
func (e *Engine) Start(ctx context.Context) error {
	_, err := e.started(ctx)
	return err
}

func (e *Engine) started(ctx context.Context) (*image, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	switch {
	case e.alive.Err() != nil:
		return nil, closedFault()
	case ctx.Err() != nil:
		return nil, stoppedFault(ctx.Err())
	}
	ctx = context.WithoutCancel(ctx) // half an engine would serve nobody
	if e.base != nil {
		return e.base, nil
	}
	if err := e.compile(ctx); err != nil {
		return nil, err
	}
	base, err := e.boot(ctx)
	if err != nil {
		return nil, fault.New(fault.SandboxUnavailable, "engine_broken", "The JavaScript engine of the sandbox doesn't start.").Because(err)
	}
	e.base = base
	return base, nil
}

// compile makes machine code of the engine, once.
func (e *Engine) compile(ctx context.Context) error {
	if e.compiled != nil {
		return nil
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return fault.New(fault.SandboxUnavailable, "platform", "The JavaScript sandbox runs on amd64 and arm64, not on %s.", runtime.GOARCH)
	}
	code, err := wasm.QuickJS()
	if err != nil {
		return err
	}
	// Without CloseOnContextDone a native loop inside the engine could neither be stopped nor let Go collect garbage.
	config := wazero.NewRuntimeConfigCompiler().WithCloseOnContextDone(true).WithMemoryLimitPages(memoryPages)
	if e.cache != nil && e.compileWith(ctx, config.WithCompilationCache(e.cache), code) == nil {
		return nil
	}
	if err := e.compileWith(ctx, config, code); err != nil { // also where a file of the cache was cut short
		return fault.New(fault.SandboxUnavailable, "engine_broken", "The JavaScript engine of the sandbox doesn't compile.").Because(err)
	}
	return nil
}

func (e *Engine) compileWith(ctx context.Context, config wazero.RuntimeConfig, code []byte) error {
	r := wazero.NewRuntimeWithConfig(ctx, config)
	if err := importHost(ctx, r); err != nil {
		return errors.Join(fmt.Errorf("import the host's functions: %w", err), r.Close(ctx))
	}
	compiled, err := r.CompileModule(ctx, code)
	if err != nil {
		return errors.Join(fmt.Errorf("compile: %w", err), r.Close(ctx))
	}
	e.runtime, e.compiled = r, compiled
	return nil
}

// Close ends the engine and gives its memory back. Calls under way end with a fault, sandbox_unavailable with reason
// closed, as do Load and Call from then on. It waits for the calls to be over, at most until ctx is done.
func (e *Engine) Close(ctx context.Context) error {
	if e.alive.Err() != nil {
		return nil
	}
	e.end()
	for range cap(e.slots) {
		select {
		case e.slots <- struct{}{}:
		case <-ctx.Done():
		}
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.base = nil
	e.loaded.clear()
	e.memories.clear()
	var err error
	if e.runtime != nil {
		err = e.runtime.Close(ctx)
	}
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(ctx))
	}
	return err
}

// instance makes an instance with the memory of an image; nil gives a bare one. ctx ends whatever runs in it.
func (e *Engine) instance(ctx context.Context, from *image, h *host) (*vm, error) {
	ctx = context.WithValue(ctx, hostKey{}, h)
	quiet := experimental.WithMemoryAllocator(context.WithoutCancel(ctx), e.memories)
	mod, err := e.runtime.InstantiateModule(quiet, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("%w: instantiate: %w", errBroken, err)
	}
	v := &vm{mod: mod, host: h, ctx: ctx, quiet: quiet, funcs: make(map[string]api.Function)}
	if from == nil {
		return v, nil
	}
	if err := from.restore(mod); err != nil {
		return nil, errors.Join(err, mod.Close(quiet))
	}
	return v, nil
}

// slot waits for room to run; the function that it gives makes room again.
func (e *Engine) slot(ctx context.Context) (func(), error) {
	select {
	case e.slots <- struct{}{}:
	case <-e.alive.Done():
		return nil, closedFault()
	case <-ctx.Done():
		return nil, stoppedFault(ctx.Err())
	}
	if e.alive.Err() != nil {
		<-e.slots
		return nil, closedFault()
	}
	return func() { <-e.slots }, nil
}

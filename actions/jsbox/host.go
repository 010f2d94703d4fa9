package jsbox

import (
	"context"
	"io"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// host is what one instance may ask of us: the time, random bytes, and whether to stop. It travels in the context of
// every call into the engine.
type host struct {
	random io.Reader
	// stop says that the call has to end. nil never stops.
	stop func() bool
	// asked says that the clock or random bytes were asked for, so that what followed is not the same each time.
	asked bool
	// imported is the module that was last asked for; there is none to give.
	imported string
	// rejected are the promises that were rejected and that nobody awaits so far.
	rejected []rejection
}

// rejection is a rejected promise, both values owned by the host.
type rejection struct {
	promise value
	reason  value
}

type hostKey struct{}

func hostOf(ctx context.Context) *host {
	h, _ := ctx.Value(hostKey{}).(*host)
	return h
}

// errno is a code of WASI preview 1.
const (
	errnoSuccess = 0
	errnoBadFile = 8
	errnoInvalid = 28
)

// importHost gives the runtime the twelve functions that the engine imports. There is no other import.
func importHost(ctx context.Context, r wazero.Runtime) error {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	one := []api.ValueType{i32}
	modules := map[string][]hostFunc{
		"env": {
			{"host_interrupt", nil, one, interrupt},
			{"host_call", []api.ValueType{i32, i32, i32, i32, i32}, one, randomBytes},
			{"host_module_load", []api.ValueType{i32, i32}, one, refuseModule(0)},
			{"host_module_normalize", []api.ValueType{i32, i32}, one, refuseModule(1)},
			{"host_promise_rejection", []api.ValueType{i32, i32, i32}, nil, noteRejection},
			{"host_get_timezone_offset", []api.ValueType{i32, i32}, one, answer(errnoSuccess)}, // UTC
		},
		"wasi_snapshot_preview1": {
			{"clock_time_get", []api.ValueType{i32, i64, i32}, one, clock},
			{"random_get", []api.ValueType{i32, i32}, one, fillRandom},
			{"fd_close", one, one, answer(errnoBadFile)},
			{"fd_fdstat_get", []api.ValueType{i32, i32}, one, answer(errnoBadFile)},
			{"fd_seek", []api.ValueType{i32, i64, i32, i32}, one, answer(errnoBadFile)},
			{"fd_write", []api.ValueType{i32, i32, i32, i32}, one, answer(errnoBadFile)},
		},
	}
	for name, functions := range modules {
		b := r.NewHostModuleBuilder(name)
		for _, f := range functions {
			b.NewFunctionBuilder().WithGoModuleFunction(f.run, f.in, f.out).Export(f.name)
		}
		if _, err := b.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

type hostFunc struct {
	name    string
	in, out []api.ValueType
	run     api.GoModuleFunc
}

func answer(code uint64) api.GoModuleFunc {
	return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = code }
}

// interrupt is asked every few thousand steps of JavaScript.
func interrupt(ctx context.Context, _ api.Module, stack []uint64) {
	h := hostOf(ctx)
	stack[0] = 0
	if h.stop != nil && h.stop() {
		stack[0] = 1
	}
}

// clock gives the time in whole milliseconds: a finer one would only serve to measure its neighbours.
func clock(ctx context.Context, m api.Module, stack []uint64) {
	hostOf(ctx).asked = true
	now := time.Now().Truncate(time.Millisecond).UnixNano()
	stack[0] = errnoSuccess
	if !m.Memory().WriteUint64Le(uint32(stack[2]), uint64(now)) {
		stack[0] = errnoInvalid
	}
}

func fillRandom(ctx context.Context, m api.Module, stack []uint64) {
	h := hostOf(ctx)
	h.asked = true
	into, ok := m.Memory().Read(uint32(stack[0]), uint32(stack[1]))
	stack[0] = errnoInvalid
	if !ok {
		return
	}
	if _, err := io.ReadFull(h.random, into); err == nil {
		stack[0] = errnoSuccess
	}
}

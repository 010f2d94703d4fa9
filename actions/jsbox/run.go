package jsbox

import (
	"context"
	"errors"
	"time"

	"pawl/internal/fault"
)

// run is a module under way in an instance: while it is loaded, or for a call.
type run struct {
	v       *vm
	control control
	// subject begins the sentences of its faults: "The tool word_count", "The module".
	subject string
	// idle is the kind of the fault where it never ends: of the module's author while it is loaded.
	idle fault.Kind
	// allowed is its time; soft ends when that is over or the caller's context is done, which caller says.
	allowed time.Duration
	soft    context.Context
	caller  context.Context
	engine  context.Context // ends when the engine is closed
	cancel  context.CancelFunc
	// memory is what its values may take, in bytes.
	memory int
	// fetch performs requests, sent counts them, failed are the errors of some by their ids.
	fetch  Fetch
	sent   int
	failed map[int]error
	// answers bring what requests gave; inFlight counts the requests that have no answer yet.
	answers  chan answered
	inFlight int
}

// errIdle says that a promise isn't settled and nothing is left that could settle it.
var errIdle = errors.New("nothing is left to run")

// begin makes an instance from an image and starts the time.
func (e *Engine) begin(ctx context.Context, from *image, subject string) (*run, error) {
	soft, stopSoft := context.WithTimeout(ctx, e.config.Time)
	hard, stopHard := context.WithTimeout(ctx, e.config.Time+e.grace)
	r := &run{
		control: from.control, subject: subject, idle: fault.InvalidResponse, allowed: e.config.Time, memory: e.config.MemoryBytes,
		soft: soft, caller: ctx, engine: e.alive, answers: make(chan answered, MaxFetches), failed: make(map[int]error),
	}
	closing := context.AfterFunc(e.alive, func() { stopSoft(); stopHard() })
	r.cancel = func() { closing(); stopSoft(); stopHard() }
	v, err := e.instance(hard, from, &host{random: e.config.Random, stop: func() bool { return soft.Err() != nil }})
	if err != nil {
		r.cancel()
		return nil, r.fault(err)
	}
	r.v = v
	return r, nil
}

// end stops what is under way and gives the memory back.
func (r *run) end() {
	r.cancel()
	r.v.close()
}

// jobs runs what is ready: the reactions of promises. What a microtask throws is logged, as a page does.
func (r *run) jobs() error {
	for {
		pending, err := r.v.step("qjs_is_job_pending")
		if err != nil || pending == 0 {
			return err
		}
		if r.soft.Err() != nil {
			return r.soft.Err()
		}
		ran, err := r.v.run("qjs_execute_pending_job")
		if err != nil {
			return err
		}
		if int32(ran) < 0 {
			if err := r.uncaught(r.v.exception()); err != nil {
				return err
			}
		}
	}
}

// uncaught logs what a microtask or a timer threw; what ends the call is given back.
func (r *run) uncaught(err error) error {
	t, ok := thrownBy(err)
	if !ok || t.final {
		return err
	}
	said, err := r.v.askValues(r.control.describe, t.value)
	if err != nil {
		return err
	}
	return r.log("Uncaught: it " + said.Message)
}

// leftLogs are the lines of a call that was stopped, where its realm can still tell.
func (r *run) leftLogs() []string {
	r.v.host.stop = nil
	said, err := r.v.ask(r.control.logs)
	if err != nil {
		return nil
	}
	return boundLogs(said.Logs)
}

func (r *run) log(line string) error {
	text, err := r.v.newString(line)
	if err != nil {
		return err
	}
	_, err = r.v.invoke(r.control.log, text)
	return err
}

// wait waits until a request is answered or a timer is due, and tells the module.
func (r *run) wait() error {
	due, err := r.due()
	if err != nil {
		return err
	}
	if due < 0 && r.inFlight == 0 {
		return errIdle
	}
	var alarm <-chan time.Time
	if due >= 0 {
		timer := time.NewTimer(due)
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case a := <-r.answers:
		r.inFlight--
		return r.resolve(a)
	case <-alarm:
		_, err := r.v.invoke(r.control.tick)
		return r.uncaught(err)
	case <-r.soft.Done():
		return r.soft.Err()
	}
}

// due is how long until the next timer, negative where none waits.
func (r *run) due() (time.Duration, error) {
	got, err := r.v.invoke(r.control.due)
	if err != nil {
		return -1, err
	}
	ms, err := r.v.number(got)
	if err != nil || !(ms >= 0) {
		return -1, err
	}
	return time.Duration(min(ms, float64(r.allowed.Milliseconds()))) * time.Millisecond, nil
}

// unhandled logs the rejections that nobody awaited, and says whether there were any: a forgotten await would otherwise
// hide a failure.
func (r *run) unhandled() bool {
	for _, rejected := range r.v.host.rejected {
		said, err := r.v.askValues(r.control.describe, rejected.reason)
		if err != nil {
			return false
		}
		if err := r.log("A promise that nobody awaits was rejected: it " + said.Message); err != nil {
			return false
		}
	}
	some := len(r.v.host.rejected) > 0
	r.v.host.rejected = nil
	return some
}

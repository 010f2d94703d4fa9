package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/google/uuid"

	"pawl/internal/store"
)

// StepEvent is the data of the event "step": one step of a run as it is now.
type StepEvent struct {
	Run  uuid.UUID `json:"run"`
	Step Step      `json:"step"`
}

// runEvents streams a run as server-sent events (WHATWG HTML, section 9.2). The first event, "run", is the whole
// run object; then "step" sends each step that changed, and "run" the whole object again whenever the run itself
// did. A stream that comes back with Last-Event-ID after the end of the run gets 204, which ends it.
func (s *server) runEvents(ctx context.Context, in *struct {
	InRun
	Last string `header:"Last-Event-ID" maxLength:"100" doc:"The id of the last event that the client has"`
},
) (*huma.StreamResponse, error) {
	project := projectOf(ctx).ID
	row, err := s.Store.RunByID(ctx, project, in.ID)
	if err != nil {
		return nil, err
	}
	if row.FinishedAt != nil && in.Last == headDigest(&row) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { ctx.SetStatus(http.StatusNoContent) }}, nil
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		st := &stream{s: s, method: r.Method, w: w, control: http.NewResponseController(w), project: project, id: in.ID, sent: make(map[string][32]byte)}
		if err := st.run(r.Context()); err != nil && r.Context().Err() == nil {
			requestOf(r.Context()).cause = err
			s.Log.WarnContext(r.Context(), "event stream ended early", "run", in.ID, "error", err)
		}
	}}, nil
}

// headDigest names the state of a run without its steps.
func headDigest(row *store.Run) string {
	b, _ := json.Marshal(headOf(row)) // plain data
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// stream is one client that follows one run.
type stream struct {
	s       *server
	method  string
	w       http.ResponseWriter
	control *http.ResponseController
	project uuid.UUID
	id      uuid.UUID
	head    string // of the last "run" event
	outline *outline
	sent    map[string][32]byte // digest of each step as the client has it
	since   time.Time           // from where the next look starts
	over    bool
}

func (st *stream) run(ctx context.Context) error {
	changed, stop := st.s.Watch.Subscribe(st.id)
	defer stop()
	st.w.Header().Set("Content-Type", "text/event-stream")
	st.w.Header().Set("X-Accel-Buffering", "no")
	st.w.WriteHeader(http.StatusOK)
	if st.method == http.MethodHead {
		return nil
	}
	if err := st.look(ctx); err != nil {
		return err
	}
	poll := time.NewTicker(streamPoll)
	defer poll.Stop()
	beat := time.NewTicker(streamBeat)
	defer beat.Stop()
	for !st.over {
		select {
		case <-ctx.Done():
			return nil
		case <-st.s.Watch.over:
			return nil
		case <-beat.C:
			if err := st.write(": still here\n\n"); err != nil {
				return err
			}
			continue
		case <-changed:
		case <-poll.C:
		}
		began := time.Now()
		if err := st.look(ctx); err != nil {
			return err
		}
		pause(ctx, max(streamPause, streamRest*time.Since(began)))
	}
	return nil
}

// look sends what changed since the last look: first the steps, then the run, so that a client that leaves when
// the run has ended misses no step. Only a new client gets the run first.
func (st *stream) look(ctx context.Context) error {
	row, err := st.s.Store.RunByID(ctx, st.project, st.id)
	if err != nil {
		return err
	}
	head := headDigest(&row)
	if st.head == "" {
		if err := st.sendRun(ctx, head); err != nil {
			return err
		}
	}
	if err := st.sendSteps(ctx, &row); err != nil {
		return err
	}
	if st.head != head {
		if err := st.sendRun(ctx, head); err != nil {
			return err
		}
	}
	st.over = row.FinishedAt != nil
	return nil
}

// sendSteps sends the steps that changed since the last look, and those around and beside them, some at a time.
func (st *stream) sendSteps(ctx context.Context, row *store.Run) error {
	now, err := st.s.Store.Now(ctx)
	if err != nil {
		return err
	}
	if st.outline == nil {
		if st.outline, err = st.s.outlineOfRun(ctx, row); err != nil {
			return err
		}
	}
	changed := choice{order: byChange, most: streamPass}
	for {
		err := st.s.positions(ctx, row, st.outline, func(p *position) {
			if !p.changed.Before(st.since) {
				changed.take(p)
			}
		})
		if err != nil {
			return err
		}
		list := changed.cut()
		for part := range slices.Chunk(list, stepsPage) {
			if err := st.sendSome(ctx, row, part); err != nil {
				return err
			}
		}
		if len(list) < streamPass {
			st.since = now.Add(-streamOverlap)
			return nil
		}
		changed = choice{order: byChange, most: streamPass, after: list[len(list)-1]}
	}
}

func (st *stream) sendSome(ctx context.Context, row *store.Run, at []*position) error {
	steps, err := st.s.steps(ctx, row, at)
	if err != nil {
		return err
	}
	for i := range steps {
		if err := st.sendStep(&steps[i]); err != nil {
			return err
		}
	}
	return nil
}

func (st *stream) sendRun(ctx context.Context, head string) error {
	run, err := st.s.run(ctx, st.project, st.id, nil, stepsPage)
	if err != nil {
		return err
	}
	for i := range run.Steps {
		if _, err := st.fresh(&run.Steps[i]); err != nil {
			return err
		}
	}
	st.head = head
	return st.event("run", head, run)
}

// fresh says whether the client has another state of the step, and notes this one.
func (st *stream) fresh(step *Step) (bool, error) {
	b, err := json.Marshal(step)
	if err != nil {
		return false, fmt.Errorf("encode step %s: %w", step.Path, err)
	}
	sum := sha256.Sum256(b)
	if st.sent[step.Path] == sum {
		return false, nil
	}
	if len(st.sent) >= streamKnown {
		clear(st.sent)
	}
	st.sent[step.Path] = sum
	return true, nil
}

func (st *stream) sendStep(step *Step) error {
	fresh, err := st.fresh(step)
	if err != nil || !fresh {
		return err
	}
	return st.event("step", "", StepEvent{st.id, *step})
}

// event writes one event; JSON holds no line breaks, so the data is one line.
func (st *stream) event(name, id string, data any) error {
	var b bytes.Buffer
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "event: %s\ndata: ", name)
	if err := writeJSON(&b, data); err != nil {
		return fmt.Errorf("encode the event %s: %w", name, err)
	}
	b.WriteByte('\n')
	return st.write(b.String())
}

func (st *stream) write(text string) error {
	_ = st.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
	if _, err := st.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	if err := st.control.Flush(); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	return nil
}

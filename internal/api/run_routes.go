package api

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"pawl/internal/auth"
	"pawl/internal/fault"
	"pawl/internal/launch"
	"pawl/internal/store"
)

// InRun is the part of an input that names a run of the project.
type InRun struct {
	InProject
	ID uuid.UUID `path:"id" doc:"The run's id"`
}

type runOutput struct {
	Status   int
	Location string `header:"Location"`
	Replayed string `header:"Idempotency-Replayed" doc:"true when an earlier start with the same key made this run"`
	Body     Run
}

// NewRun starts a run. An empty body starts the live version without input.
type NewRun struct {
	Input     json.RawMessage `json:"input,omitempty" doc:"An object that fits the automation's inputs"`
	Version   *int            `json:"version,omitempty" minimum:"1" doc:"A published version; the live one without"`
	Draft     bool            `json:"draft,omitempty" doc:"Run the draft as a test"`
	LocalOnly bool            `json:"local_only,omitempty" doc:"Refuse every external action"`
}

func (s *server) startRun(ctx context.Context, in *struct {
	InAutomation
	Key  string `header:"Idempotency-Key" doc:"Starts with the same key make one run: 1 to 255 visible ASCII characters, which may stand in double quotes"`
	Body *NewRun
},
) (*runOutput, error) {
	c, project := auth.CallerOf(ctx), projectOf(ctx)
	a, err := s.Store.AutomationByName(ctx, project.ID, in.Name)
	if err != nil {
		return nil, err
	}
	body, err := inStage(c, in.Body)
	if err != nil {
		return nil, err
	}
	if body.Draft {
		if _, err := s.publishable(ctx, project.ID, a.Draft); err != nil {
			return nil, err
		}
	}
	req, err := startRequest(c, project, a, body, in.Key)
	if err != nil {
		return nil, err
	}
	id, existing, err := s.Runs.Start(ctx, req)
	if err != nil {
		return nil, err
	}
	out, err := s.runOutput(ctx, project, id)
	if err == nil && existing {
		out.Status, out.Replayed = 200, "true"
	}
	return out, err
}

func startRequest(c *auth.Caller, project store.Project, a store.Automation, body NewRun, key string) (launch.StartRequest, error) {
	if !body.Draft && !c.MayIn(project.ID, auth.Run) {
		return launch.StartRequest{}, c.Need(auth.Run)
	}
	if body.Draft && body.Version != nil {
		return launch.StartRequest{}, fault.New(fault.InvalidInput, "version", "A run follows the draft or a version, not both.").At("/version")
	}
	if len(body.Input) == 0 || string(body.Input) == "null" {
		body.Input = json.RawMessage("{}")
	}
	trigger := "manual"
	if c.Key != nil {
		trigger = "api"
	}
	return launch.StartRequest{
		Project: project.ID, Automation: a.ID, Version: body.Version, Draft: body.Draft, Input: body.Input,
		StartKey: startKey(c, key), GivenKey: key, Trigger: trigger, Actor: c.Actor(), LocalOnly: body.LocalOnly,
	}, nil
}

// runOutput is a run just made.
func (s *server) runOutput(ctx context.Context, project store.Project, id uuid.UUID) (*runOutput, error) {
	run, err := s.run(ctx, project.ID, id, nil, stepsPage)
	if err != nil {
		return nil, err
	}
	return &runOutput{Status: 201, Location: prefix + "/projects/" + project.Name + "/runs/" + id.String(), Body: run}, nil
}

// run reads a run with a page of its steps, behind a position; nil for the first page.
func (s *server) run(ctx context.Context, project, id uuid.UUID, after *position, limit int) (Run, error) {
	row, err := s.Store.RunByID(ctx, project, id)
	if err != nil {
		return Run{}, err
	}
	page, next, err := s.page(ctx, &row, after, limit)
	if err != nil {
		return Run{}, err
	}
	steps, err := s.steps(ctx, &row, page)
	if err != nil {
		return Run{}, err
	}
	var blobs map[string]store.Blob
	if row.OutputBlob != nil {
		if blobs, err = s.Store.RunBlobs(ctx, row.ID, [][]byte{row.OutputBlob}, inlineOutput, inlineOutput); err != nil {
			return Run{}, err
		}
	}
	return Run{
		RunHead: headOf(&row), Digest: hex.EncodeToString(row.Digest), Input: row.Input, Output: value(row.Output, row.OutputBlob, blobs),
		Steps: steps, StepsNext: next,
	}, nil
}

// page is a page of the positions of a run, and the cursor of the next one. A page without room has no next one.
func (s *server) page(ctx context.Context, row *store.Run, after *position, limit int) ([]*position, string, error) {
	if limit == 0 {
		return nil, "", nil
	}
	o, err := s.outlineOfRun(ctx, row)
	if err != nil {
		return nil, "", err
	}
	chosen := choice{order: order, after: after, most: limit + 1}
	if err := s.positions(ctx, row, o, chosen.take); err != nil {
		return nil, "", err
	}
	list := chosen.cut()
	if len(list) <= limit {
		return list, "", nil
	}
	return list[:limit], stepsCursor(list[limit-1]), nil
}

func (s *server) showRun(ctx context.Context, in *struct {
	InRun
	Cursor string `query:"steps_cursor" maxLength:"1000" doc:"The member steps_next of the answer before"`
	Limit  int    `query:"steps_limit" minimum:"0" maximum:"2000" default:"500" doc:"How many steps at most"`
},
) (*struct{ Body Run }, error) {
	after, err := stepsAfter(in.Cursor)
	if err != nil {
		return nil, err
	}
	run, err := s.run(ctx, projectOf(ctx).ID, in.ID, after, in.Limit)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Run }{run}, nil
}

func (s *server) listRuns(ctx context.Context, in *struct {
	InProject
	Paging
	Automation string `query:"automation" maxLength:"100" doc:"Only runs of this automation"`
	State      string `query:"state" enum:"queued,running,waiting,needs_attention,succeeded,failed,cancelled" doc:"Only runs in this state"`
},
) (*struct{ Body List[RunHead] }, error) {
	before, err := in.id()
	if err != nil {
		return nil, err
	}
	f := store.RunFilter{Project: projectOf(ctx).ID, Automation: in.Automation, State: in.State, Stage: stageOf(auth.CallerOf(ctx)), Before: before, Limit: in.Limit + 1}
	rows, err := s.Store.ListRuns(ctx, f)
	if err != nil {
		return nil, err
	}
	rows, next := cut(rows, in.Limit, func(r store.Run) string { return r.ID.String() })
	items := make([]RunHead, 0, len(rows))
	for i := range rows {
		items = append(items, headOf(&rows[i]))
	}
	return newList(items, next), nil
}

// CancelRun asks for the end of a run.
type CancelRun struct {
	Force bool `json:"force,omitempty" doc:"Stop the steps of finally too"`
}

func (s *server) cancelRun(ctx context.Context, in *struct {
	InRun
	Body *CancelRun
},
) (*struct{ Body Run }, error) {
	project := projectOf(ctx)
	if _, err := s.Store.RunByID(ctx, project.ID, in.ID); err != nil {
		return nil, err
	}
	if err := s.Runs.Cancel(ctx, in.ID, auth.CallerOf(ctx).Actor(), in.Body != nil && in.Body.Force); err != nil {
		return nil, err
	}
	run, err := s.run(ctx, project.ID, in.ID, nil, stepsPage)
	return &struct{ Body Run }{run}, err
}

func (s *server) replayRun(ctx context.Context, in *InRun) (*runOutput, error) {
	project := projectOf(ctx)
	if _, err := s.Store.RunByID(ctx, project.ID, in.ID); err != nil {
		return nil, err
	}
	id, err := s.Runs.Replay(ctx, in.ID, auth.CallerOf(ctx).Actor())
	if err != nil {
		return nil, err
	}
	return s.runOutput(ctx, project, id)
}

// SettleRun decides an unknown outcome.
type SettleRun struct {
	As     string          `json:"as" enum:"succeeded,failed,retry" doc:"succeeded takes output; retry says that nothing happened"`
	Output json.RawMessage `json:"output,omitempty" doc:"What the step would have given; for succeeded"`
}

func (s *server) settleStep(ctx context.Context, in *struct {
	InRun
	Path string `path:"path" maxLength:"1000" doc:"The step's path, for instance each.3.ticket"`
	Body SettleRun
},
) (*struct{ Body Run }, error) {
	project := projectOf(ctx)
	if _, err := s.Store.RunByID(ctx, project.ID, in.ID); err != nil {
		return nil, err
	}
	err := s.Runs.Settle(ctx, launch.SettleRequest{Run: in.ID, Path: in.Path, As: in.Body.As, Output: in.Body.Output, Actor: auth.CallerOf(ctx).Actor()})
	if err != nil {
		return nil, err
	}
	run, err := s.run(ctx, project.ID, in.ID, nil, stepsPage)
	return &struct{ Body Run }{run}, err
}

func (s *server) runBlob(ctx context.Context, in *struct {
	InRun
	Digest string `path:"digest" pattern:"^[0-9a-f]{64}$" patternDescription:"64 hexadecimal digits" doc:"SHA-256 of the output"`
},
) (*huma.StreamResponse, error) {
	if _, err := s.Store.RunByID(ctx, projectOf(ctx).ID, in.ID); err != nil {
		return nil, err
	}
	digest, err := hex.DecodeString(in.Digest)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "digest", "%q is no SHA-256 in hexadecimal.", in.Digest)
	}
	b, err := s.Store.RunBlob(ctx, in.ID, digest)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", b.MediaType)
		ctx.SetHeader("Content-Disposition", `attachment; filename="`+in.Digest[:12]+`"`)
		ctx.SetStatus(200)
		_, _ = ctx.BodyWriter().Write(b.Body)
	}}, nil
}

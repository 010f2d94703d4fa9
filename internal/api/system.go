package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"pawl/internal/fault"
)

// Version says which build answers.
type Version struct {
	Pawl string `json:"pawl" doc:"The version of Pawl"`
	Go   string `json:"go" doc:"The Go version that it was built with"`
	// Zones is the time zone database in use.
	Zones string `json:"tzdata" doc:"The time zone database in use"`
}

// Health is the answer of the probes.
type Health struct {
	Status string `json:"status" enum:"ok"`
}

type healthOutput struct{ Body Health }

// healthz says that the process answers.
func (s *server) healthz(context.Context, *struct{}) (*healthOutput, error) {
	return &healthOutput{Health{"ok"}}, nil
}

// readyz says that the process can work: its database answers.
func (s *server) readyz(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		return nil, fault.New(fault.Conflict, reasonNotReady, "The database does not answer.").Because(err)
	}
	return &healthOutput{Health{"ok"}}, nil
}

// Build is the version with what the process finds on its machine.
type Build struct {
	Version
	Now     time.Time  `json:"now" doc:"The server's clock"`
	Sandbox *StepError `json:"sandbox" doc:"Why this server can't run the modules of plugins; null when it can"`
}

func (s *server) version(ctx context.Context, _ *struct{}) (*struct{ Body Build }, error) {
	return &struct{ Body Build }{Build{s.Version, time.Now().UTC(), shownError(fault.From(s.Tests.Box.Engine.Start(ctx)))}}, nil
}

func (s *server) openAPI(context.Context, *struct{}) (*struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}, error,
) {
	return &struct {
		ContentType string `header:"Content-Type"`
		Body        []byte
	}{"application/openapi+json;version=3.1", s.openapi}, nil
}

// exposition answers with the metrics in the text format of Prometheus.
func (s *server) exposition(context.Context, *struct{}) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humachi.Unwrap(ctx)
		s.metrics.handler.ServeHTTP(w, r)
	}}, nil
}

const created = http.StatusCreated

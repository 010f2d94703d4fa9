package agents

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/auth"
	"pawl/internal/fault"
	"pawl/internal/launch"
	"pawl/internal/store"
	"pawl/internal/tryout"
)

// Runs starts runs and calls; it is launch.Starter.
type Runs interface {
	Start(ctx context.Context, q launch.StartRequest) (id uuid.UUID, existing bool, err error)
	Call(ctx context.Context, q launch.CallRequest) (id uuid.UUID, existing bool, err error)
}

// Changes tells which runs may have changed.
type Changes interface {
	Subscribe(run uuid.UUID) (changed <-chan struct{}, stop func())
}

// Tests calls the tools of versions that are not in production.
type Tests interface {
	Tool(ctx context.Context, s tryout.Subject, tool string, input json.RawMessage) (tryout.Result, error)
}

// Config wires a Server. All members but Wait are needed.
type Config struct {
	Store   *store.Store
	Served  release.Agents
	Catalog *release.Catalog
	Runs    Runs
	Changes Changes
	Tests   Tests
	Version string
	Log     *slog.Logger
	// Wait is how long a call waits for its end before it names its run instead; 0 = 50 s.
	Wait time.Duration
}

// Server answers agents. It is safe for concurrent use.
type Server struct {
	Config
	handler http.Handler
}

// New makes a server.
func New(c Config) *Server {
	if c.Wait <= 0 {
		c.Wait = usualWait
	}
	s := &Server{Config: c}
	s.handler = mcp.NewStreamableHTTPHandler(s.session, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, Logger: slog.New(slog.DiscardHandler),
		// The address is the operator's to guard: behind a proxy, on the same machine, any name is right. What the check is
		// against, a page that makes a browser call us, can't send the API key that every request needs.
		DisableLocalhostProtection: true,
	})
	return s
}

// who is on whose behalf an agent asks.
type who struct {
	caller  *auth.Caller
	project store.Project
}

type whoKey struct{}

// audience is for whom plugins are served.
func (w *who) audience() release.Audience {
	return release.Audience{Project: w.project.ID, Test: w.caller.TestOnly()}
}

func (w *who) research() bool { return w.caller.Key.Kind == auth.ResearchKey }

// Serve answers a request of a caller that may see the project. Only an API key makes a caller an agent: the cookie of a
// session comes with whatever a browser sends.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, caller *auth.Caller, project store.Project) error {
	if caller.Key == nil {
		return fault.New(fault.Unauthenticated, "api_key", "An agent sends an API key: Authorization: Bearer <key>. Make one with: pawl key create")
	}
	s.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), whoKey{}, &who{caller, project})))
	return nil
}

// instructions is what an agent reads about this server.
const instructions = "Tools of this Pawl installation. A result with isError and kind outcome_unknown means that it is not known whether the call " +
	"was carried out: do not call again, a person decides. A result that names an approval waits for a person, one with the state running is still under way: " +
	"ask for either with run_result."

// session makes the server of one request.
func (s *Server) session(r *http.Request) *mcp.Server {
	by, ok := r.Context().Value(whoKey{}).(*who)
	if !ok { // Serve puts it there
		return nil
	}
	m := mcp.NewServer(&mcp.Implementation{Name: "pawl", Title: "Pawl", Version: s.Version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: slog.New(slog.DiscardHandler), Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	m.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch q := req.(type) {
			case *mcp.ListToolsRequest:
				return s.list(ctx, by, q.Params)
			case *mcp.CallToolRequest:
				return s.call(ctx, by, q)
			}
			return next(ctx, method, req)
		}
	})
	return m
}

// list gives a page of the tools, by their names.
func (s *Server) list(ctx context.Context, by *who, q *mcp.ListToolsParams) (mcp.Result, error) {
	all, err := s.offers(ctx, by)
	if err != nil {
		return nil, s.protocolError(ctx, err)
	}
	after := ""
	if q != nil {
		after = q.Cursor
	}
	result := &mcp.ListToolsResult{Tools: []*mcp.Tool{}}
	for _, o := range all.sorted() {
		switch {
		case o.name <= after:
		case len(result.Tools) == pageTools:
			result.NextCursor = result.Tools[pageTools-1].Name
			return result, nil
		default:
			result.Tools = append(result.Tools, o.tool())
		}
	}
	return result, nil
}

// call carries out one call. What an agent can act on is a result with isError; a name that is no tool is an error of the
// protocol.
func (s *Server) call(ctx context.Context, by *who, q *mcp.CallToolRequest) (mcp.Result, error) {
	all, err := s.offers(ctx, by)
	if err != nil {
		return nil, s.protocolError(ctx, err)
	}
	o, err := all.find(q.Params.Name)
	if err != nil {
		return nil, invalidParams(err)
	}
	arguments := q.Params.Arguments
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage(`{}`)
	}
	r, err := o.call(ctx, &invocation{by: by, request: q, arguments: arguments})
	if err != nil {
		f := fault.From(err)
		if f.Kind == fault.Internal {
			s.Log.ErrorContext(ctx, "a call of an agent", "tool", o.name, "error", err)
		}
		return failure(f, nil), nil
	}
	return r, nil
}

// invocation is one call of an agent.
type invocation struct {
	by        *who
	request   *mcp.CallToolRequest
	arguments json.RawMessage
}

func (s *Server) protocolError(ctx context.Context, err error) error {
	s.Log.ErrorContext(ctx, "answer an agent", "error", err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fault.From(err).Message}
}

func invalidParams(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fault.From(err).Message}
}

// grantTarget is what permits a call without anybody's word.
func grantTarget(o *offer) connections.GrantTarget {
	if o.plugin != "" {
		return connections.GrantTarget{Kind: connections.GrantAgents, Plugin: o.plugin}
	}
	return connections.GrantTarget{Kind: connections.GrantAction, Action: o.action}
}

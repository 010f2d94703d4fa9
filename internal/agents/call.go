package agents

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/auth"
	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/launch"
	"pawl/internal/schema"
)

// metaKey is the member of _meta with which a client makes a call happen once: the same key gives the same run.
const metaKey = "pawl/idempotency-key"

// check holds arguments against the schema of the offer.
func (o *offer) check(arguments json.RawMessage) error {
	compiled, problems := schema.Compile(o.schema, schema.Open)
	if err := problems.Err(); err != nil {
		return err
	}
	return fault.One(compiled.Validate(arguments).Err())
}

// callReleased calls an action or a tool of production: at once where a grant permits it, else when a person allows it.
func (s *Server) callReleased(ctx context.Context, o *offer, in *invocation) (*mcp.CallToolResult, error) {
	if err := in.by.may(auth.Run); err != nil {
		return nil, err
	}
	if err := o.check(in.arguments); err != nil {
		return nil, err
	}
	account, input, err := o.account(in.arguments)
	if err != nil {
		return nil, err
	}
	granted := o.plugin == "" && o.risk == release.RiskRead
	if !granted {
		if granted, err = s.Store.AgentsMay(ctx, in.by.project.ID, grantTarget(o)); err != nil {
			return nil, err
		}
	}
	if !granted {
		return s.ask(ctx, o, in, account, input)
	}
	key, err := in.key()
	if err != nil {
		return nil, err
	}
	q := launch.CallRequest{
		Project: in.by.project.ID, Action: o.action, Account: account, Input: input, GivenKey: key, Actor: in.by.caller.Actor(), LocalOnly: in.by.project.LocalOnly,
	}
	if key != "" {
		q.StartKey = in.startKey(key)
	}
	run, _, err := s.Runs.Call(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.await(ctx, in, run)
}

// account takes the argument that chooses an account out of the arguments, which are canonical then.
func (o *offer) account(arguments json.RawMessage) (name string, input json.RawMessage, err error) {
	if o.accountAt != "" {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(arguments, &members); err != nil {
			return "", nil, fault.New(fault.InvalidInput, "input", "The arguments of a call are a JSON object.")
		}
		if err := json.Unmarshal(members[o.accountAt], &name); err != nil {
			return "", nil, fault.New(fault.InvalidInput, "account", "The account is a text, one of %s.", strings.Join(o.accounts, ", ")).At("/" + o.accountAt)
		}
		delete(members, o.accountAt)
		arguments = raw(members)
	}
	if o.takesKey && len(o.accounts) == 0 {
		return "", nil, connections.MissingAccount(connection(o.action), "", 0)
	}
	if o.takesKey && name == "" {
		name = o.accounts[0]
	}
	input, err = canon.Canonical(arguments)
	return name, input, err
}

// connection is the identity of the connection of an action.
func connection(a connections.ActionIdentity) connections.ConnectionIdentity {
	id, err := connections.ParseAction(string(a))
	if err != nil { // not reached: the catalogue made it
		return ""
	}
	return id.Connection()
}

// key is the idempotency key of the call, empty for none.
func (in *invocation) key() (string, error) {
	given, ok := in.request.Params.GetMeta()[metaKey]
	if !ok {
		return "", nil
	}
	key, ok := given.(string)
	if !ok || key == "" || len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
		return "", fault.New(fault.InvalidInput, "idempotency_key", "The member %s of _meta is a text of 1 to %d bytes.", metaKey, maxKey)
	}
	return key, nil
}

// startKey belongs to the API key, so that two agents can't meet in one.
func (in *invocation) startKey(key string) string {
	return "mcp:" + in.by.caller.Key.ID.String() + ":" + key
}

// await waits for the end of a run, and names the run where it takes too long. An agent that goes away changes nothing: the
// run goes on.
func (s *Server) await(ctx context.Context, in *invocation, run uuid.UUID) (*mcp.CallToolResult, error) {
	w := s.waiting(in)
	defer w.stop()
	changed, unsubscribe := s.Changes.Subscribe(run)
	defer unsubscribe()
	for {
		row, err := s.Store.RunByID(ctx, in.by.project.ID, run)
		if err != nil {
			return nil, err
		}
		if r, err := s.ended(ctx, in.by, &row); r != nil || err != nil {
			return r, err
		}
		if !w.more(ctx, changed) {
			return under(&row), nil
		}
	}
}

// waiting is a call that waits, and tells its client so where that asked for it.
type waiting struct {
	in    *invocation
	until *time.Timer
	look  *time.Ticker
	tell  *time.Ticker
	told  float64
}

func (s *Server) waiting(in *invocation) *waiting {
	return &waiting{in: in, until: time.NewTimer(s.Wait), look: time.NewTicker(poll), tell: time.NewTicker(tellEvery)}
}

func (w *waiting) stop() {
	w.until.Stop()
	w.look.Stop()
	w.tell.Stop()
}

// more waits until it is worth looking again; false when the time is over or the client has gone.
func (w *waiting) more(ctx context.Context, changed <-chan struct{}) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-w.until.C:
			return false
		case <-changed:
			return true
		case <-w.look.C:
			return true
		case <-w.tell.C:
			w.progress(ctx)
		}
	}
}

// progress tells a client that asked for it that the call is under way. One that doesn't hear it has gone, which the
// context says too.
func (w *waiting) progress(ctx context.Context) {
	token := w.in.request.Params.GetProgressToken()
	if token == nil {
		return
	}
	w.told++
	_ = w.in.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: w.told, Message: "still under way"})
}

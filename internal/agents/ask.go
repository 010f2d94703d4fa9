package agents

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/connections"
)

// ask lets a call wait for a person, and gives its outcome where that comes in time.
func (s *Server) ask(ctx context.Context, o *offer, in *invocation, account string, input json.RawMessage) (*mcp.CallToolResult, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make the id of an approval: %w", err)
	}
	parsed, err := connections.ParseAction(string(o.action))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(input)
	want := connections.Approval{
		ID: id, ProjectID: in.by.project.ID, Source: parsed.Source, Action: o.action, ReleaseDigest: o.digest, Effect: string(o.effect), Target: o.target,
		Arguments: input, ArgumentsDigest: sum[:], RequestedBy: in.by.caller.Actor(), Until: time.Now().Add(approvalFor),
	}
	if want.AccountID, err = s.accountID(ctx, in.by, o, account); err != nil {
		return nil, err
	}
	asked, err := s.Store.AskApproval(ctx, &want)
	if err != nil {
		return nil, err
	}
	return s.awaitApproval(ctx, in, asked.ID)
}

func (s *Server) accountID(ctx context.Context, by *who, o *offer, name string) (*uuid.UUID, error) {
	if name == "" {
		return nil, nil
	}
	identity := connection(o.action)
	found, err := s.Store.UsableAccounts(ctx, by.project.ID, []connections.ConnectionIdentity{identity})
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if a.Name == name {
			return &a.ID, nil
		}
	}
	return nil, connections.MissingAccount(identity, name, len(found))
}

// awaitApproval waits for a person's word, and then for the run.
func (s *Server) awaitApproval(ctx context.Context, in *invocation, id uuid.UUID) (*mcp.CallToolResult, error) {
	w := s.waiting(in)
	defer w.stop()
	for {
		a, err := s.Store.ApprovalByID(ctx, in.by.project.ID, id)
		if err != nil {
			return nil, err
		}
		switch a.State {
		case connections.ApprovalConsumed:
			return s.await(ctx, in, *a.RunID)
		case connections.ApprovalDenied, connections.ApprovalExpired:
			return failure(a.Denied(), nil), nil
		case connections.ApprovalPending:
		}
		if !w.more(ctx, nil) {
			return pending(&a), nil
		}
	}
}

package api

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/auth"
	"pawl/internal/store"
)

// ApprovalInfo is a call of an agent that waits, or waited, for a person. What is allowed is exactly this, once.
type ApprovalInfo struct {
	ID            uuid.UUID                  `json:"id"`
	State         connections.ApprovalState  `json:"state" enum:"pending,consumed,denied,expired" doc:"consumed: it was allowed, and run is its run"`
	Action        connections.ActionIdentity `json:"action"`
	ReleaseDigest string                     `json:"release_digest" doc:"SHA-256 of the release whose action it is"`
	Effect        release.Effect             `json:"effect" enum:"local_read,network_read,write,delete,payment,publication,permission_change,credential_exfiltration,external_unknown"`
	Account       string                     `json:"account" doc:"The name of the account whose key is used; empty for none"`
	Target        string                     `json:"target" doc:"Where it goes: the origin of an app, the hosts of a plugin"`
	Arguments     json.RawMessage            `json:"arguments"`
	Digest        string                     `json:"arguments_digest" doc:"SHA-256 of the arguments in canonical form (RFC 8785)"`
	RequestedBy   string                     `json:"requested_by"`
	RequestedAt   time.Time                  `json:"requested_at"`
	Until         time.Time                  `json:"until" doc:"When it expires"`
	DecidedBy     string                     `json:"decided_by"`
	DecidedAt     *time.Time                 `json:"decided_at"`
	Comment       string                     `json:"comment"`
	Run           *uuid.UUID                 `json:"run"`
}

func approvalInfo(a *connections.Approval) ApprovalInfo {
	return ApprovalInfo{
		ID: a.ID, State: a.State, Action: a.Action, ReleaseDigest: hex.EncodeToString(a.ReleaseDigest), Effect: release.Effect(a.Effect), Account: a.Account, Target: a.Target,
		Arguments: a.Arguments, Digest: hex.EncodeToString(a.ArgumentsDigest), RequestedBy: a.RequestedBy, RequestedAt: a.RequestedAt, Until: a.Until,
		DecidedBy: a.DecidedBy, DecidedAt: a.DecidedAt, Comment: a.Comment, Run: a.RunID,
	}
}

func (s *server) listApprovals(ctx context.Context, in *struct {
	InProject
	Paging
	State connections.ApprovalState `query:"state" enum:"pending,consumed,denied,expired" doc:"Only approvals in this state"`
},
) (*struct{ Body List[ApprovalInfo] }, error) {
	before, err := in.id()
	if err != nil {
		return nil, err
	}
	list, err := s.Store.ListApprovals(ctx, store.ApprovalFilter{Project: projectOf(ctx).ID, State: in.State, Before: before, Limit: in.Limit + 1})
	if err != nil {
		return nil, err
	}
	list, next := cut(list, in.Limit, func(a connections.Approval) string { return a.ID.String() })
	items := make([]ApprovalInfo, 0, len(list))
	for i := range list {
		items = append(items, approvalInfo(&list[i]))
	}
	return newList(items, next), nil
}

// InApproval is the part of an input that names an approval.
type InApproval struct {
	InProject
	ID uuid.UUID `path:"id" format:"uuid"`
}

func (s *server) showApproval(ctx context.Context, in *InApproval) (*struct{ Body ApprovalInfo }, error) {
	a, err := s.Store.ApprovalByID(ctx, projectOf(ctx).ID, in.ID)
	if err != nil {
		return nil, err
	}
	return &struct{ Body ApprovalInfo }{approvalInfo(&a)}, nil
}

// ApprovalDecision is a person's word.
type ApprovalDecision struct {
	Comment string `json:"comment,omitempty" maxLength:"1000" doc:"What the agent is told with a refusal"`
}

func (s *server) allowCall(ctx context.Context, in *struct {
	InApproval
	Body *ApprovalDecision
},
) (*struct{ Body ApprovalInfo }, error) {
	return s.decide(ctx, in.ID, func(a *connections.Approval) error {
		_, err := s.Runs.Allow(ctx, a, auth.CallerOf(ctx).Actor(), commentOf(in.Body), projectOf(ctx).LocalOnly)
		return err
	})
}

func (s *server) denyCall(ctx context.Context, in *struct {
	InApproval
	Body *ApprovalDecision
},
) (*struct{ Body ApprovalInfo }, error) {
	return s.decide(ctx, in.ID, func(a *connections.Approval) error {
		return s.Runs.Deny(ctx, a, auth.CallerOf(ctx).Actor(), commentOf(in.Body))
	})
}

func commentOf(d *ApprovalDecision) string {
	if d == nil {
		return ""
	}
	return d.Comment
}

func (s *server) decide(ctx context.Context, id uuid.UUID, word func(*connections.Approval) error) (*struct{ Body ApprovalInfo }, error) {
	a, err := s.Store.ApprovalByID(ctx, projectOf(ctx).ID, id)
	if err != nil {
		return nil, err
	}
	if err := word(&a); err != nil {
		return nil, err
	}
	if a, err = s.Store.ApprovalByID(ctx, a.ProjectID, id); err != nil {
		return nil, err
	}
	return &struct{ Body ApprovalInfo }{approvalInfo(&a)}, nil
}

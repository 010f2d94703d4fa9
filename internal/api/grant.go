package api

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/auth"
)

// GrantInfo is a standing permission of a project.
type GrantInfo struct {
	ID        uuid.UUID                  `json:"id"`
	Kind      connections.GrantKind      `json:"kind" enum:"action,host,agents"`
	Action    connections.ActionIdentity `json:"action,omitempty"`
	Plugin    string                     `json:"plugin,omitempty"`
	Host      string                     `json:"host,omitempty"`
	CreatedAt time.Time                  `json:"created_at"`
	CreatedBy string                     `json:"created_by"`
}

func grantInfo(g connections.Grant) GrantInfo {
	return GrantInfo{g.ID, g.Kind, g.Action, g.Plugin, g.Host, g.CreatedAt, g.CreatedBy}
}

// GrantTarget is what is granted: an action; a plugin and a host; or a plugin to agents.
type GrantTarget struct {
	Action string `json:"action,omitempty" maxLength:"400" doc:"An action identity"`
	Plugin string `json:"plugin,omitempty" maxLength:"64" doc:"With host: the plugin"`
	Host   string `json:"host,omitempty" maxLength:"253" doc:"A host that the plugin may reach"`
	Agents string `json:"agents,omitempty" maxLength:"80" doc:"plugin:<id>: agents may call the plugin's tools"`
}

// target reads the target. What does not go together is refused by the connections package.
func (t GrantTarget) target() connections.GrantTarget {
	switch {
	case t.Agents != "":
		plugin := strings.TrimPrefix(t.Agents, "plugin:")
		return connections.GrantTarget{Kind: connections.GrantAgents, Action: connections.ActionIdentity(t.Action), Plugin: plugin, Host: t.Host}
	case t.Plugin != "" || t.Host != "":
		return connections.GrantTarget{Kind: connections.GrantHost, Action: connections.ActionIdentity(t.Action), Plugin: t.Plugin, Host: t.Host}
	}
	return connections.GrantTarget{Kind: connections.GrantAction, Action: connections.ActionIdentity(t.Action)}
}

func (s *server) listGrants(ctx context.Context, in *struct {
	InProject
	Paging
},
) (*struct{ Body List[GrantInfo] }, error) {
	after, err := in.id()
	if err != nil {
		return nil, err
	}
	list, err := s.Grants.List(ctx, projectOf(ctx).ID, after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	list, next := cut(list, in.Limit, func(g connections.Grant) string { return g.ID.String() })
	items := make([]GrantInfo, 0, len(list))
	for _, g := range list {
		items = append(items, grantInfo(g))
	}
	return newList(items, next), nil
}

func (s *server) addGrant(ctx context.Context, in *struct {
	InProject
	Body GrantTarget
},
) (*struct{ Body GrantInfo }, error) {
	g, err := s.Grants.Add(ctx, projectOf(ctx).ID, in.Body.target(), auth.CallerOf(ctx).Actor())
	if err != nil {
		return nil, err
	}
	return &struct{ Body GrantInfo }{grantInfo(g)}, nil
}

func (s *server) removeGrant(ctx context.Context, in *struct {
	InProject
	Action string `query:"action" maxLength:"400"`
	Plugin string `query:"plugin" maxLength:"64"`
	Host   string `query:"host" maxLength:"253"`
	Agents string `query:"agents" maxLength:"80"`
},
) (*struct{ Body GrantInfo }, error) {
	t := GrantTarget{in.Action, in.Plugin, in.Host, in.Agents}
	g, err := s.Grants.Remove(ctx, projectOf(ctx).ID, t.target(), auth.CallerOf(ctx).Actor())
	if err != nil {
		return nil, err
	}
	return &struct{ Body GrantInfo }{grantInfo(g)}, nil
}

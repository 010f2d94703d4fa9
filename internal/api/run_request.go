package api

import (
	"context"
	"encoding/json"
	"sync"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/store"
)

// SentRequest is the request of an attempt as it was sent, without the account's key: the ledger never had it.
type SentRequest struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers" nullable:"false" doc:"Those of the request itself; [redacted] stands for the account's key"`
	Body      string            `json:"body,omitempty" doc:"Its beginning, 2,000 bytes at most"`
	BodyBytes int               `json:"body_bytes" doc:"The size of the whole body"`
}

// redacted stands for an account's key.
const redacted = "[redacted]"

// credential is the header in which the account's key goes out, with the key redacted; empty for none.
type credential struct{ name, value string }

// sentRequest is the request of an attempt, nil for one that never came as far.
func sentRequest(a *store.AttemptRow, c credential) *SentRequest {
	if a.Request == nil {
		return nil
	}
	var r SentRequest
	if err := json.Unmarshal(*a.Request, &r); err != nil {
		return nil // the ledger wrote it; the run shows without
	}
	if r.Headers == nil {
		r.Headers = map[string]string{}
	}
	if c.name != "" {
		r.Headers[c.name] = c.value
	}
	return &r
}

// credentials remembers how identities are authenticated. A release never changes, so neither does this.
type credentials struct {
	mu    sync.Mutex
	known map[connections.ConnectionIdentity]credential
}

func (c *credentials) get(id connections.ConnectionIdentity) (credential, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.known[id]
	return found, ok
}

func (c *credentials) put(id connections.ConnectionIdentity, found credential) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= credentialsMax {
		c.known = make(map[connections.ConnectionIdentity]credential)
	}
	c.known[id] = found
}

// credentialsOf says, by action, how the requests of some attempts were authenticated.
func (s *server) credentialsOf(ctx context.Context, attempts []store.AttemptRow) (map[string]credential, error) {
	found := map[string]credential{}
	for i := range attempts {
		a := &attempts[i]
		if _, known := found[a.Action]; known || a.Request == nil {
			continue
		}
		id, err := connections.ParseAction(a.Action)
		if err != nil || id.Source == connections.SourcePlugin {
			continue // the walk checked it; a tool has no key
		}
		if found[a.Action], err = s.credentialOf(ctx, id.Connection()); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (s *server) credentialOf(ctx context.Context, id connections.ConnectionIdentity) (credential, error) {
	if c, ok := s.known.get(id); ok {
		return c, nil
	}
	frozen, ok, err := s.Store.ReleaseOf(ctx, id, release.Installation)
	if err != nil || !ok {
		return credential{}, err
	}
	d, err := declaredBy(frozen)
	if err != nil || d == nil || d.App == nil {
		return credential{}, err
	}
	c := credentialIn(d.App.Auth)
	s.known.put(id, c)
	return c, nil
}

func credentialIn(a genisys.Auth) credential {
	if a.Bearer() {
		return credential{"Authorization", "Bearer " + redacted}
	}
	return credential{a.Header, redacted}
}

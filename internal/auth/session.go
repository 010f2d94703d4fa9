package auth

import (
	"context"
	"fmt"
	"net/http"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"

	"pawl/internal/fault"
)

const sessionPerson = "person"

// Sessions are the cookie sessions of browsers. The cookie is HttpOnly and SameSite=Lax; the table holds a
// hash of its token, so that a copy of the database signs nobody in.
type Sessions struct {
	manager *scs.SessionManager
	people  People
}

// CookieScope says where the session cookie may travel.
type CookieScope string

// The scopes. HTTPSOnly adds Secure and the __Host- prefix (RFC 6265bis); AnyScheme is for plain HTTP on a
// loopback address.
const (
	HTTPSOnly CookieScope = "https"
	AnyScheme CookieScope = "any"
)

// NewSessions keeps sessions in store.
func NewSessions(store scs.CtxStore, people People, scope CookieScope, onError func(http.ResponseWriter, *http.Request, error)) *Sessions {
	m := scs.New()
	m.Store = store
	m.Lifetime = sessionLifetime
	m.HashTokenInStore = true
	m.ErrorFunc = onError
	m.Cookie.Name = "pawl_session"
	m.Cookie.HttpOnly = true
	m.Cookie.SameSite = http.SameSiteLaxMode
	if scope == HTTPSOnly {
		m.Cookie.Name, m.Cookie.Secure = "__Host-pawl_session", true
	}
	return &Sessions{manager: m, people: people}
}

// Middleware loads the session of a request and saves it with the answer.
func (s *Sessions) Middleware(next http.Handler) http.Handler { return s.manager.LoadAndSave(next) }

// Start begins a session for a person under a new token, so that a token set before signing in is worth nothing.
func (s *Sessions) Start(ctx context.Context, person uuid.UUID) error {
	if err := s.manager.RenewToken(ctx); err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	s.manager.Put(ctx, sessionPerson, person.String())
	return nil
}

// End forgets the session.
func (s *Sessions) End(ctx context.Context) error {
	if err := s.manager.Destroy(ctx); err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	return nil
}

// Caller is who the session belongs to, nil for none.
func (s *Sessions) Caller(ctx context.Context) (*Caller, error) {
	text := s.manager.GetString(ctx, sessionPerson)
	if text == "" {
		return nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read a session: %w", err)
	}
	p, err := s.people.Person(ctx, id)
	if fault.Is(err, fault.NotFound) || (err == nil && p.Disabled) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Caller{Person: p}, nil
}

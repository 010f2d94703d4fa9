package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"pawl/internal/fault"
)

// People finds and changes who can sign in. A person that is not there is a not_found fault.
type People interface {
	PersonByEmail(ctx context.Context, email string) (Person, error)
	Person(ctx context.Context, id uuid.UUID) (Person, error)
	SetPassword(ctx context.Context, id uuid.UUID, hash, actor string) error
}

// Links keeps one-time sign-in links by their hash.
type Links interface {
	CreateLink(ctx context.Context, person uuid.UUID, hash []byte) error
	// UseLink marks an unused, unexpired link as used and gives its person; otherwise a not_found fault.
	UseLink(ctx context.Context, hash []byte) (uuid.UUID, error)
}

// Keys finds API keys by the hash of their text, with the person they belong to, and notes their use.
type Keys interface {
	KeyByHash(ctx context.Context, hash []byte) (Key, Person, error)
}

// SignIns checks who somebody is.
type SignIns struct {
	People    People
	Links     Links
	Keys      Keys
	Passwords *Passwords
	// Throttle bounds the tries of passwords by e-mail address. The tries from one address are for those to count who
	// know addresses.
	Throttle *Throttle
}

func refused() error {
	return fault.New(fault.Unauthenticated, "sign_in", "This e-mail address and password don't belong together. Check both, or ask an admin for a sign-in link.")
}

// ByPassword gives the person whose e-mail address and password these are. Unknown and disabled persons, and
// persons without a password, cost as much time as a wrong password and read the same.
// Too many tries that failed for one e-mail address are a rate_limited fault.
func (s *SignIns) ByPassword(ctx context.Context, email, password string) (Person, error) {
	try, err := s.Throttle.Name(email)
	if err != nil {
		return Person{}, err
	}
	p, err := s.People.PersonByEmail(ctx, foldedEmail(email))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return Person{}, err
	}
	ok, err := s.Passwords.Matches(ctx, password, p.PasswordHash)
	if err != nil {
		return Person{}, err
	}
	if !ok || p.Disabled {
		return Person{}, refused()
	}
	try.Succeeded()
	return p, nil
}

// ByLink uses up a one-time link.
func (s *SignIns) ByLink(ctx context.Context, token string) (Person, error) {
	gone := fault.New(fault.Unauthenticated, "link_used", "This sign-in link was used already or has expired. Ask for a new one.")
	id, err := s.Links.UseLink(ctx, hashOf(token))
	if fault.Is(err, fault.NotFound) {
		return Person{}, gone
	}
	if err != nil {
		return Person{}, err
	}
	p, err := s.People.Person(ctx, id)
	if err != nil {
		return Person{}, err
	}
	if p.Disabled {
		return Person{}, gone
	}
	return p, nil
}

// ByKey gives the caller that an API key stands for.
func (s *SignIns) ByKey(ctx context.Context, text string) (*Caller, error) {
	unknown := fault.New(fault.Unauthenticated, "api_key", "This API key is unknown, revoked or expired. Make a new one under Settings, or with: pawl key create.")
	hash, ok := HashKey(text)
	if !ok {
		return nil, unknown
	}
	k, p, err := s.Keys.KeyByHash(ctx, hash)
	if fault.Is(err, fault.NotFound) || (err == nil && p.Disabled) {
		return nil, unknown
	}
	if err != nil {
		return nil, err
	}
	return &Caller{Person: p, Key: &k}, nil
}

// ChangePassword sets a password. Who has one already must give it, and has as few tries as with signing in.
func (s *SignIns) ChangePassword(ctx context.Context, c *Caller, current, next string) error {
	if c.Person.PasswordHash != "" {
		try, err := s.Throttle.Name(c.Person.Email)
		if err != nil {
			return err
		}
		ok, err := s.Passwords.Matches(ctx, current, c.Person.PasswordHash)
		if err != nil {
			return err
		}
		if !ok {
			return fault.New(fault.Forbidden, "password", "The current password is not right.").At("/current")
		}
		try.Succeeded()
	}
	h, err := s.Passwords.Hash(ctx, next)
	if err != nil {
		return err
	}
	return s.People.SetPassword(ctx, c.Person.ID, h, c.Actor())
}

// NewLink makes a one-time sign-in link for a person and gives its token; Path turns it into an address.
func (s *SignIns) NewLink(ctx context.Context, person uuid.UUID) (string, error) {
	token := randomText(linkRandomBytes)
	if err := s.Links.CreateLink(ctx, person, hashOf(token)); err != nil {
		return "", fmt.Errorf("make a sign-in link: %w", err)
	}
	return token, nil
}

// LinkPath is the path of the sign-in page with the token in the fragment: a fragment never reaches a server
// log, and only the page's own POST uses the link up, so a mail scanner that follows links can't.
func LinkPath(token string) string { return "/sign-in#link=" + token }

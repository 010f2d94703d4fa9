package auth

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"pawl/internal/fault"
)

// Passwords hashes and checks passwords with argon2id (RFC 9106), a bounded number at a time.
type Passwords struct {
	slots   chan struct{}
	nobodys string // the hash that stands in for an unknown person, so that the work is the same
}

// NewPasswords prepares the hash that unknown persons are checked against.
func NewPasswords() (*Passwords, error) {
	h, err := argon2id.CreateHash(randomText(argonSalt), argonParams())
	if err != nil {
		return nil, fmt.Errorf("prepare password hashing: %w", err)
	}
	return &Passwords{slots: make(chan struct{}, concurrentHashes), nobodys: h}, nil
}

func argonParams() *argon2id.Params {
	return &argon2id.Params{Memory: argonMemory, Iterations: argonTime, Parallelism: argonThreads, SaltLength: argonSalt, KeyLength: argonKey}
}

// Hash refuses passwords that are too short or too long.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if utf8.RuneCountInString(password) < MinPassword || len(password) > MaxPassword {
		return "", fault.New(fault.InvalidInput, "password_length", "The password must have at least %d characters and at most %d bytes.", MinPassword, MaxPassword).At("/password")
	}
	if err := p.enter(ctx); err != nil {
		return "", err
	}
	defer p.leave()
	h, err := argon2id.CreateHash(password, argonParams())
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return h, nil
}

// Matches says whether the password belongs to the hash. An empty hash costs the same and never matches.
func (p *Passwords) Matches(ctx context.Context, password, hash string) (bool, error) {
	if err := p.enter(ctx); err != nil {
		return false, err
	}
	defer p.leave()
	known := hash != ""
	if !known {
		hash = p.nobodys
	}
	if len(password) > MaxPassword {
		password, known = "", false
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return ok && known, nil
}

func (p *Passwords) enter(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to check a password: %w", ctx.Err())
	}
}

func (p *Passwords) leave() { <-p.slots }

package api

import (
	"context"
	"time"

	"github.com/google/uuid"

	"pawl/internal/auth"
	"pawl/internal/fault"
)

// Me is the caller.
type Me struct {
	ID          uuid.UUID         `json:"id"`
	Email       string            `json:"email"`
	Name        string            `json:"name"`
	Owner       bool              `json:"owner" doc:"Owner of the installation: every role in every project"`
	HasPassword bool              `json:"has_password"`
	Key         *KeyInfo          `json:"key,omitempty" doc:"The API key in use, absent for a session"`
	Permissions []auth.Permission `json:"permissions" nullable:"false" doc:"For what belongs to the installation, such as plugins"`
	Projects    []MyProject       `json:"projects" nullable:"false"`
}

// MyProject is a project as the caller may use it.
type MyProject struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Permissions []auth.Permission `json:"permissions" nullable:"false"`
}

// SignIn is a password or a one-time link.
type SignIn struct {
	Email    string `json:"email,omitempty" maxLength:"320"`
	Password string `json:"password,omitempty" maxLength:"1024"`
	Link     string `json:"link,omitempty" maxLength:"200" doc:"The token of a one-time sign-in link"`
}

type meOutput struct{ Body Me }

func (s *server) signIn(ctx context.Context, in *struct{ Body SignIn }) (*meOutput, error) {
	try, err := s.SignIns.Throttle.Address(requestOf(ctx).from)
	if err != nil {
		return nil, err
	}
	var p auth.Person
	switch b := in.Body; {
	case b.Link != "":
		p, err = s.SignIns.ByLink(ctx, b.Link)
	case b.Email != "" && b.Password != "":
		p, err = s.SignIns.ByPassword(ctx, b.Email, b.Password)
	default:
		err = fault.New(fault.InvalidInput, "sign_in", "Send an e-mail address and a password, or the token of a sign-in link.")
	}
	if err != nil {
		return nil, err
	}
	try.Succeeded()
	if err := s.sessions.Start(ctx, p.ID); err != nil {
		return nil, err
	}
	return s.describeMe(ctx, &auth.Caller{Person: p})
}

func (s *server) signOut(ctx context.Context, _ *struct{}) (*struct{}, error) {
	return nil, s.sessions.End(ctx)
}

func (s *server) me(ctx context.Context, _ *struct{}) (*meOutput, error) {
	return s.describeMe(ctx, auth.CallerOf(ctx))
}

func (s *server) describeMe(ctx context.Context, c *auth.Caller) (*meOutput, error) {
	projects, err := s.Store.ListProjects(ctx)
	if err != nil {
		return nil, err
	}
	me := Me{
		ID: c.Person.ID, Email: c.Person.Email, Name: c.Person.Name, Owner: c.Person.Owner, HasPassword: c.Person.PasswordHash != "",
		Permissions: allowed(c.May), Projects: []MyProject{},
	}
	if c.Key != nil {
		k := keyInfo(*c.Key)
		me.Key = &k
	}
	for _, p := range projects {
		if c.InProject(p.ID) {
			may := allowed(func(needed auth.Permission) bool { return c.MayIn(p.ID, needed) })
			me.Projects = append(me.Projects, MyProject{p.Name, p.Title, may})
		}
	}
	return &meOutput{me}, nil
}

// allowed lists those of an owner's permissions that may says yes to.
func allowed(may func(auth.Permission) bool) []auth.Permission {
	list := []auth.Permission{}
	for _, p := range auth.Owner.Permissions() {
		if may(p) {
			list = append(list, p)
		}
	}
	return list
}

// NewPassword sets the caller's password.
type NewPassword struct {
	Current  string `json:"current,omitempty" maxLength:"1024" doc:"Needed when there is a password already"`
	Password string `json:"password" maxLength:"1024"`
}

func (s *server) setPassword(ctx context.Context, in *struct{ Body NewPassword }) (*struct{}, error) {
	c := auth.CallerOf(ctx)
	if !c.Unrestricted() {
		return nil, restricted("sets a password")
	}
	return nil, s.SignIns.ChangePassword(ctx, c, in.Body.Current, in.Body.Password)
}

// KeyInfo is an API key without its text.
type KeyInfo struct {
	ID         uuid.UUID    `json:"id"`
	Kind       auth.KeyKind `json:"kind" enum:"test,live,research"`
	Name       string       `json:"name"`
	Prefix     string       `json:"prefix" doc:"How the key's text begins"`
	CreatedAt  time.Time    `json:"created_at"`
	LastUsedAt *time.Time   `json:"last_used_at,omitempty"`
	ExpiresAt  *time.Time   `json:"expires_at,omitempty"`
}

func keyInfo(k auth.Key) KeyInfo {
	return KeyInfo{k.ID, k.Kind, k.Name, k.Prefix, k.CreatedAt, k.LastUsedAt, k.ExpiresAt}
}

// NewKey asks for an API key.
type NewKey struct {
	Kind      auth.KeyKind `json:"kind" enum:"test,live,research"`
	Name      string       `json:"name" minLength:"1" maxLength:"100"`
	Project   string       `json:"project,omitempty" maxLength:"100" doc:"Set: the key works in this project only"`
	ExpiresAt *time.Time   `json:"expires_at,omitempty" doc:"When the key ends; it must be still to come. Absent: never"`
}

// CreatedKey is the only answer that shows a key.
type CreatedKey struct {
	KeyInfo
	Key string `json:"key" doc:"The key itself; it is shown now and never again"`
}

func (s *server) createKey(ctx context.Context, in *struct{ Body NewKey }) (*struct{ Body CreatedKey }, error) {
	c := auth.CallerOf(ctx)
	if !c.Unrestricted() {
		return nil, restricted("makes keys")
	}
	var project *uuid.UUID
	if in.Body.Project != "" {
		p, err := s.projectFor(ctx, c, in.Body.Project, auth.See)
		if err != nil {
			return nil, err
		}
		project = &p.ID
	}
	k, text, err := auth.NewKey(in.Body.Kind, c.Person.ID, project, in.Body.Name, in.Body.ExpiresAt)
	if err != nil {
		return nil, err
	}
	hash, _ := auth.HashKey(text)
	if err := s.Store.CreateKey(ctx, k, hash, c.Actor()); err != nil {
		return nil, err
	}
	k.CreatedAt = time.Now()
	return &struct{ Body CreatedKey }{CreatedKey{keyInfo(k), text}}, nil
}

// restricted is the fault of a key that reaches for what its person signs in with.
func restricted(does string) error {
	return fault.New(fault.Forbidden, "key", "Only a session, or a live key that is not bound to a project, %s.", does)
}

func (s *server) listKeys(ctx context.Context, _ *struct{}) (*struct{ Body List[KeyInfo] }, error) {
	keys, err := s.Store.KeysOf(ctx, auth.CallerOf(ctx).Person.ID)
	if err != nil {
		return nil, err
	}
	items := make([]KeyInfo, 0, len(keys))
	for _, k := range keys {
		items = append(items, keyInfo(k))
	}
	return newList(items, ""), nil
}

func (s *server) revokeKey(ctx context.Context, in *struct {
	ID uuid.UUID `path:"id"`
},
) (*struct{}, error) {
	c := auth.CallerOf(ctx)
	if !c.Unrestricted() && c.Key.ID != in.ID {
		return nil, restricted("ends other keys")
	}
	return nil, s.Store.RevokeKey(ctx, c.Person.ID, in.ID, c.Actor())
}

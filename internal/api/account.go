package api

import (
	"context"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/vault"
	"pawl/internal/auth"
	"pawl/internal/fault"
)

// AccountInfo is an account; its key is never shown.
type AccountInfo struct {
	ID         uuid.UUID                      `json:"id"`
	Name       string                         `json:"name"`
	Identity   connections.ConnectionIdentity `json:"identity"`
	Status     connections.AccountStatus      `json:"status" enum:"unchecked,verified,failing,expired"`
	KeyVersion int                            `json:"key_version" doc:"Counts the keys that the account has had"`
	CreatedAt  time.Time                      `json:"created_at"`
	CreatedBy  string                         `json:"created_by"`
	UpdatedAt  time.Time                      `json:"updated_at"`
}

func accountInfo(a connections.Account) AccountInfo {
	return AccountInfo{a.ID, a.Name, a.Identity, a.Status, a.KeyVersion, a.CreatedAt, a.CreatedBy, a.UpdatedAt}
}

// SetAccount saves a key for a connection identity.
type SetAccount struct {
	Name     string                         `json:"name" maxLength:"63"`
	Identity connections.ConnectionIdentity `json:"identity" maxLength:"200" doc:"For instance developer.shop.v1-0-0"`
	Secret   string                         `json:"secret" maxLength:"65536" doc:"The key; it is sealed and never shown again"`
}

func (s *server) listAccounts(ctx context.Context, in *struct {
	InProject
	Paging
	Identity string `query:"identity" maxLength:"200" doc:"Only accounts of this connection"`
},
) (*struct{ Body List[AccountInfo] }, error) {
	page := connections.AccountPage{Project: projectOf(ctx).ID, Identity: connections.ConnectionIdentity(in.Identity), Limit: in.Limit + 1}
	var err error
	if page.After, err = accountsAfter(in.Paging, page.Project); err != nil {
		return nil, err
	}
	list, err := s.Accounts.List(ctx, page)
	if err != nil {
		return nil, err
	}
	list, next := cut(list, in.Limit, func(a connections.Account) string { return string(a.Identity) + "\x1f" + a.Name })
	items := make([]AccountInfo, 0, len(list))
	for _, a := range list {
		items = append(items, accountInfo(a))
	}
	return newList(items, next), nil
}

func (s *server) setAccount(ctx context.Context, in *struct {
	InProject
	Body SetAccount
},
) (*struct{ Body AccountInfo }, error) {
	key := connections.AccountKey{Project: projectOf(ctx).ID, Identity: in.Body.Identity, Name: in.Body.Name}
	a, err := s.Accounts.Set(ctx, key, vault.NewSecret(in.Body.Secret), auth.CallerOf(ctx).Actor())
	if err != nil {
		return nil, err
	}
	return &struct{ Body AccountInfo }{accountInfo(a)}, nil
}

func (s *server) removeAccount(ctx context.Context, in *struct {
	InProject
	Name     string `path:"name" maxLength:"63"`
	Identity string `query:"identity" maxLength:"200" doc:"Needed when accounts of several connections have the name"`
},
) (*struct{ Body AccountInfo }, error) {
	key := connections.AccountKey{Project: projectOf(ctx).ID, Identity: connections.ConnectionIdentity(in.Identity), Name: in.Name}
	if key.Identity == "" {
		identity, err := s.onlyAccount(ctx, key)
		if err != nil {
			return nil, err
		}
		key.Identity = identity
	}
	a, err := s.Accounts.Remove(ctx, key, auth.CallerOf(ctx).Actor())
	if err != nil {
		return nil, err
	}
	return &struct{ Body AccountInfo }{accountInfo(a)}, nil
}

// onlyAccount is the identity of the one account with a name.
func (s *server) onlyAccount(ctx context.Context, key connections.AccountKey) (connections.ConnectionIdentity, error) {
	var found []connections.ConnectionIdentity
	page := connections.AccountPage{Project: key.Project, Limit: pageMax}
	for {
		list, err := s.Accounts.List(ctx, page)
		if err != nil {
			return "", err
		}
		for _, a := range list {
			if a.Name == key.Name {
				found = append(found, a.Identity)
			}
		}
		if len(list) < page.Limit {
			break
		}
		last := list[len(list)-1]
		page.After = &connections.AccountKey{Project: key.Project, Identity: last.Identity, Name: last.Name}
	}
	switch len(found) {
	case 0:
		return "", fault.New(fault.NotFound, "account", "This project has no account %q. See which it has: pawl account list", key.Name)
	case 1:
		return found[0], nil
	}
	return "", fault.New(fault.Conflict, "several_accounts", "There are %d accounts named %q; name the connection too: --identity %s", len(found), key.Name, found[0]).With("identities", found)
}

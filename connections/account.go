package connections

import (
	"context"
	"regexp"
	"time"

	"github.com/google/uuid"

	"pawl/connections/vault"
	"pawl/internal/fault"
)

// AccountStatus is what is known of an account's key. A closed set.
type AccountStatus string

// The states of an account.
const (
	Unchecked AccountStatus = "unchecked" // saved, and not tried at the provider yet
	Verified  AccountStatus = "verified"
	Failing   AccountStatus = "failing"
	Expired   AccountStatus = "expired"
)

// Account is a named, vaulted credential that a project holds for one connection identity. It never carries the
// secret itself.
type Account struct {
	ID        uuid.UUID
	ProjectID uuid.UUID
	Identity  ConnectionIdentity
	Name      string
	Status    AccountStatus
	// KeyVersion counts the keys that this account has had, from 1; it is 0 for an account without a key.
	KeyVersion int
	CreatedAt  time.Time
	CreatedBy  string
	UpdatedAt  time.Time
	RemovedAt  *time.Time
}

// AccountKey names one account of a project.
type AccountKey struct {
	Project  uuid.UUID
	Identity ConnectionIdentity
	Name     string
}

// AccountPage chooses accounts of a project, by identity and name. The zero values choose all, from the start.
type AccountPage struct {
	Project  uuid.UUID
	Identity ConnectionIdentity // only this identity's
	After    *AccountKey        // only what comes after it
	Limit    int
}

// AccountStore keeps accounts and sealed secrets. Each change is one transaction with its audit row.
type AccountStore interface {
	// SetAccount makes the account, or gives the one that is there a new key under the same id. seal is called
	// within the transaction, with the row that the sealed bytes go to.
	SetAccount(ctx context.Context, key AccountKey, by string, seal func(vault.Row) ([]byte, error)) (Account, error)
	ListAccounts(ctx context.Context, page AccountPage) ([]Account, error)
	// RemoveAccount sets RemovedAt; the record and the sealed key stay.
	RemoveAccount(ctx context.Context, key AccountKey, by string) (Account, error)
}

// Declarations tell what the releases behind identities declare, for a project.
type Declarations interface {
	// SecretKind tells how the key of an account of identity is applied. It is a not_found fault if the identity
	// was never in production.
	SecretKind(ctx context.Context, project uuid.UUID, identity ConnectionIdentity) (SecretKind, error)
	// CheckAction is a not_found fault unless the action is one of a release that is, or was, in production.
	CheckAction(ctx context.Context, project uuid.UUID, action ActionIdentity) error
	// CheckHost is a not_found fault unless a stage of the plugin declares the host in permissions.hosts.
	CheckHost(ctx context.Context, plugin, host string) error
	// CheckPlugin is a not_found fault unless there is such a plugin.
	CheckPlugin(ctx context.Context, plugin string) error
}

// Accounts sets, lists and removes the accounts of projects.
type Accounts struct {
	Store        AccountStore
	Vault        *vault.Vault
	Declarations Declarations
}

var accountName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$`)

// Set saves a key. A name that is new for the identity makes an account with the status unchecked. A name that
// is there rotates the key: the account keeps its id, so runs that have begun use the new key from their next
// call on, and the status is unchecked again. To give later runs another account, remove this one first, or set
// one under another name. A key belongs to one identity: nothing carries it over to a new version.
func (a Accounts) Set(ctx context.Context, key AccountKey, secret vault.Secret, by string) (Account, error) {
	if err := checkAccountKey(key); err != nil {
		return Account{}, err
	}
	kind, err := a.Declarations.SecretKind(ctx, key.Project, key.Identity)
	if err != nil {
		return Account{}, err
	}
	if err := CheckSecret(kind, secret); err != nil {
		return Account{}, err
	}
	return a.Store.SetAccount(ctx, key, by, func(row vault.Row) ([]byte, error) { return a.Vault.Seal(row, secret) })
}

func checkAccountKey(key AccountKey) error {
	if !accountName.MatchString(key.Name) {
		return fault.New(fault.InvalidInput, "account_name",
			"%q is no account name: start with a letter or digit, go on with letters, digits, spaces, dots, hyphens and underscores, 63 characters at most.", clip(key.Name)).At("/name")
	}
	id, err := ParseIdentity(string(key.Identity))
	if err != nil {
		return err
	}
	if id.Action != "" {
		return fault.New(fault.InvalidInput, "identity", "%q names an action; an account belongs to the connection %s.", key.Identity, id.Connection()).At("/identity")
	}
	return nil
}

// List gives accounts by identity and name, without their keys.
func (a Accounts) List(ctx context.Context, page AccountPage) ([]Account, error) {
	return a.Store.ListAccounts(ctx, page)
}

// Remove takes an account out of use; its record and its sealed key are kept. Calls in runs that have begun fail
// from now on.
func (a Accounts) Remove(ctx context.Context, key AccountKey, by string) (Account, error) {
	if err := checkAccountKey(key); err != nil {
		return Account{}, err
	}
	return a.Store.RemoveAccount(ctx, key, by)
}

// NoAccount is the not_found fault for an account that is not there or was removed.
func NoAccount(key AccountKey) *fault.Error {
	return fault.New(fault.NotFound, "account", "This project has no account %q for %s. Set one: pawl account set %q --identity %s",
		clip(key.Name), key.Identity, clip(key.Name), key.Identity)
}

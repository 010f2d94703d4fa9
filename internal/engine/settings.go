package engine

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"pawl/actions/egress"
	"pawl/connections/vault"
	"pawl/internal/config"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// Egress reads the settings of the guarded client.
func Egress(c config.Config) (egress.Config, error) {
	var e egress.Config
	var err error
	if e.Allow, err = egress.ParseAllow(c.EgressAllow); err != nil {
		return e, setting("PAWL_EGRESS_ALLOW", err)
	}
	if e.Denied, err = egress.ParseDenied(c.EgressDeny); err != nil {
		return e, setting("PAWL_EGRESS_DENY", err)
	}
	if e.ConnectTo, err = egress.ParseConnectTo(c.EgressConnectTo); err != nil {
		return e, setting("PAWL_EGRESS_CONNECT_TO", err)
	}
	if c.EgressDNS != "" {
		if e.DNS, err = egress.ParseDNS(c.EgressDNS); err != nil {
			return e, setting("PAWL_EGRESS_DNS", err)
		}
	}
	if c.EgressCA != "" {
		e.CA, err = authorities(c.EgressCA)
	}
	return e, err
}

func authorities(file string) (*x509.CertPool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "setting", "PAWL_EGRESS_CA: the file %s can't be read: %v.", file, cause(err)).Because(err)
	}
	pool, err := egress.ParseCA(b)
	if err != nil {
		return nil, setting("PAWL_EGRESS_CA", err)
	}
	return pool, nil
}

// cause is what the system says of a file, without the path, which the sentence has already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func setting(name string, err error) error {
	return fault.New(fault.InvalidInput, "setting", "%s: %s", name, fault.From(err).Message).Because(err)
}

// Database opens the pool of a process.
func Database(ctx context.Context, c config.Config) (*pgxpool.Pool, error) {
	pool, err := store.Open(ctx, c.Database.Expose(), c.DatabaseConnections)
	if fault.Is(err, fault.InvalidInput) {
		return nil, setting("PAWL_DATABASE_URL", err)
	}
	return pool, err
}

// Keys opens the vault with the master key of the settings.
func Keys(c config.Config) (*vault.Vault, error) {
	master, err := vault.LoadMasterKey(c.MasterKey.Expose())
	if err != nil {
		return nil, err
	}
	return vault.New(master)
}

// Temporal connects to the Temporal service of the settings.
func Temporal(ctx context.Context, c config.Config, log *slog.Logger) (client.Client, error) {
	tls, err := c.TemporalTLSConfig()
	if err != nil {
		return nil, err
	}
	t, err := client.DialContext(ctx, client.Options{
		HostPort: c.Temporal, Namespace: c.TemporalNamespace,
		ConnectionOptions: client.ConnectionOptions{TLS: tls}, Logger: sdklog.NewStructuredLogger(log),
	})
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", c.Temporal, err)
	}
	return t, nil
}

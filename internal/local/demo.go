package local

import (
	"context"
	"crypto/x509"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/actions/egress"
	connect "pawl/connections"
	"pawl/connections/release"
	"pawl/connections/vault"
	"pawl/internal/automation"
	"pawl/internal/fault"
	"pawl/internal/store"
)

const (
	demoPlugin     = "demo-shop"
	demoIdentity   = connect.ConnectionIdentity("developer.demo-shop.v1-0-0")
	demoAccount    = "demo"
	demoAutomation = "orders-to-tickets"
	demoInput      = `{"status":"open"}`
	demoActor      = "pawl-local --demo"
)

//go:embed demo/demo-shop.genisys-plugin.json
var demoFile []byte

//go:embed demo/orders-to-tickets.json
var demoOrders []byte

//go:embed demo/stock-watch.json
var demoStock []byte

func (h *home) demoApp(ctx context.Context) (err error) {
	if h.o.Demo != WithDemo {
		return nil
	}
	h.demo, err = newDemoApp(ctx)
	return err
}

// admit lets the guarded client reach the demo app, and nothing else inside, under its name.
func (d *demoApp) admit(c *egress.Config) {
	c.CA = withCertificate(c.CA, d.certificate)
	if c.Allow == nil {
		c.Allow = egress.Allow{}
	}
	c.Allow[demoHost] = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	if c.ConnectTo == nil {
		c.ConnectTo = egress.ConnectTo{}
	}
	c.ConnectTo[demoHost] = d.listener.Addr().String()
}

func withCertificate(pool *x509.CertPool, cert *x509.Certificate) *x509.CertPool {
	if pool == nil {
		var err error
		if pool, err = x509.SystemCertPool(); err != nil {
			pool = x509.NewCertPool()
		}
	}
	pool.AddCert(cert)
	return pool
}

// install puts the demo's plugin, account, grants and automations in place, the first time only: what a person changed
// afterwards stays.
func (d *demoApp) install(ctx context.Context, pool *pgxpool.Pool, v *vault.Vault) error {
	st := store.New(pool)
	stages := release.Stages{Store: st}
	if _, err := stages.Show(ctx, demoPlugin); err == nil {
		return nil
	} else if !fault.Is(err, fault.NotFound) {
		return err
	}
	if _, err := stages.Push(ctx, demoPlugin, demoFile, nil, demoActor); err != nil {
		return err
	}
	if _, err := stages.ToPreview(ctx, demoPlugin, nil, demoActor); err != nil {
		return err
	}
	if _, err := stages.ToProduction(ctx, demoPlugin, nil, demoActor); err != nil {
		return err
	}
	project, err := st.ProjectByName(ctx, "default")
	if err != nil {
		return err
	}
	declared := release.Declared{Store: st}
	accounts := connect.Accounts{Store: st, Vault: v, Declarations: declared}
	if _, err := accounts.Set(ctx, connect.AccountKey{Project: project.ID, Identity: demoIdentity, Name: demoAccount}, vault.NewSecret(demoKey), demoActor); err != nil {
		return err
	}
	grants := connect.Grants{Store: st, Declarations: declared}
	for _, a := range []string{"create_ticket", "mark_order"} {
		target := connect.GrantTarget{Kind: connect.GrantAction, Action: connect.ActionIdentity(string(demoIdentity) + "." + a)}
		if _, err := grants.Add(ctx, project.ID, target, demoActor); err != nil {
			return err
		}
	}
	return d.automations(ctx, st, project)
}

func (d *demoApp) automations(ctx context.Context, st *store.Store, project store.Project) error {
	for name, body := range map[string][]byte{demoAutomation: demoOrders, "stock-watch": demoStock} {
		doc, problems := automation.Decode(body)
		if err := problems.Err(); err != nil {
			return fmt.Errorf("demo automation %s: %w", name, err)
		}
		written, err := st.PutDrafts(ctx, project.ID, []store.AutomationDraft{{Name: name, Body: json.RawMessage(body)}}, demoActor)
		if err != nil {
			return err
		}
		p := store.Publication{Name: name, Rev: written[0].Rev, Digest: doc.Digest(), Body: doc.Canonical(), Message: "The demo", Actor: demoActor}
		if _, _, err := st.PublishAutomation(ctx, project.ID, p); err != nil {
			return err
		}
	}
	return nil
}

package e2e_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pawl/internal/e2e/lab"
	"pawl/internal/e2e/process"
)

// installation is a pawl-local of its own on a folder, which can be killed and started again.
type installation struct {
	t       *testing.T
	dir     string
	address string
	target  *lab.Target
	env     []string
	program *process.Program
	api     process.API
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	in := &installation{t: t, dir: t.TempDir(), address: process.FreeAddress(t), target: lab.NewTarget()}
	must(t, os.Chmod(filepath.Dir(in.dir), 0o755)) // PostgreSQL runs as another user when the test is root
	must(t, os.Chmod(in.dir, 0o755))
	t.Cleanup(in.target.Close)
	in.env = egressEnv(t, in.target)
	in.start()
	return in
}

// egressEnv lets a process reach the target under its public name.
func egressEnv(t *testing.T, target *lab.Target) []string {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: target.Server.Certificate().Raw}), 0o600))
	return []string{"PAWL_EGRESS_CA=" + ca, "PAWL_EGRESS_ALLOW=" + lab.Host + "=127.0.0.0/8", "PAWL_EGRESS_CONNECT_TO=" + lab.Host + "=" + target.Server.Listener.Addr().String()}
}

func (in *installation) start() {
	in.t.Helper()
	bin := process.Build(in.t, "cmd/pawl-local", "PAWL_LOCAL_BIN")
	in.program = process.Start(in.t, in.env, bin, "--data", in.dir, "--listen", in.address)
	in.program.WaitFor(in.t, "Pawl is ready")
	key, err := os.ReadFile(filepath.Join(in.dir, "admin.key"))
	must(in.t, err)
	in.api = process.API{URL: "http://" + in.address, Key: strings.TrimSpace(string(key))}
}

// setUp takes the shop to production, with its account and grants, and publishes an automation.
func setUp(t *testing.T, api process.API, name, doc string) {
	t.Helper()
	ctx := context.Background()
	must(t, api.Do(ctx, http.MethodPut, "/plugins/shop/draft", lab.ShopPlugin("1.0.0"), nil))
	must(t, api.Do(ctx, http.MethodPost, "/plugins/shop/promote", map[string]any{"to": "preview"}, nil))
	must(t, api.Do(ctx, http.MethodPost, "/plugins/shop/promote", map[string]any{"to": "production"}, nil))
	must(t, api.Do(ctx, http.MethodPut, "/projects/default/accounts", map[string]any{"name": "main", "identity": lab.Shop, "secret": "a-secret-of-the-test"}, nil))
	for _, a := range lab.ShopWrites() {
		must(t, api.Do(ctx, http.MethodPost, "/projects/default/grants", map[string]any{"action": lab.Shop + "." + a}, nil))
	}
	publish(t, api, name, doc)
}

func publish(t *testing.T, api process.API, name, doc string) {
	t.Helper()
	ctx := context.Background()
	must(t, api.Do(ctx, http.MethodPut, "/projects/default/automations/"+name+"/draft", []byte(doc), nil))
	must(t, api.Do(ctx, http.MethodPost, "/projects/default/automations/"+name+"/publish", map[string]any{"message": "test"}, nil))
}

// runOf is what the tests read of a run.
type runOf struct {
	ID    string
	State string
	Error json.RawMessage
	Steps []struct {
		Path, State string
		Attempts    []struct{ State string }
	}
}

func begin(t *testing.T, api process.API, name string, input any) string {
	t.Helper()
	var r runOf
	must(t, api.Do(context.Background(), http.MethodPost, "/projects/default/automations/"+name+"/runs", map[string]any{"input": input}, &r))
	return r.ID
}

func show(t *testing.T, api process.API, id string) runOf {
	t.Helper()
	var r runOf
	must(t, api.Do(context.Background(), http.MethodGet, "/projects/default/runs/"+id, nil, &r))
	return r
}

// settle decides every unknown step of a run until it ends, as a person would who looked at the target.
func settle(t *testing.T, api caller, id string) (unknowns int) {
	t.Helper()
	ctx := context.Background()
	decided := map[string]bool{}
	for deadline := time.Now().Add(2 * time.Minute); ; {
		var r runOf
		must(t, api.Do(ctx, http.MethodGet, "/projects/default/runs/"+id, nil, &r))
		switch r.State {
		case "succeeded":
			return len(decided)
		case "failed", "cancelled":
			t.Fatalf("run %s %s: %s", id, r.State, r.Error)
		}
		for _, s := range r.Steps {
			if s.State == "unknown" && !decided[s.Path] {
				decided[s.Path] = true
				body := map[string]any{"as": "succeeded", "output": map[string]any{"status": 201, "headers": map[string]string{}, "body": nil}}
				must(t, api.Do(ctx, http.MethodPost, "/projects/default/runs/"+id+"/steps/"+s.Path+"/settle", body, nil))
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("run %s is still %s: %+v", id, r.State, r.Steps)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// caller is a server, or whichever of several is alive.
type caller interface {
	Do(ctx context.Context, method, path string, body, out any) error
}

// tenSteps is an automation of ten steps: reads, writes of every method, a loop's worth of changes.
func tenSteps() string {
	return document("Ten", strings.Join([]string{
		action("r1", "get_item", `{"id":"{{ inputs.run }}-1"}`, ""),
		action("w1", "create_order", `{"title":"{{ inputs.run }} w1"}`, ""),
		action("p1", "put_order", `{"id":"{{ inputs.run }}","title":"{{ steps.r1.output.body.id }}"}`, ""),
		action("w2", "patch_order", `{"id":"{{ inputs.run }}","title":"w2"}`, ""),
		action("r2", "slow_get", `{"ms":"30"}`, ""),
		action("w3", "slow_post", `{"ms":"40","title":"{{ inputs.run }} w3"}`, ""),
		action("d1", "delete_order", `{"id":"{{ inputs.run }}"}`, ""),
		action("w4", "form_order", `{"title":"{{ inputs.run }} w4"}`, ""),
		action("r3", "get_item", `{"id":"{{ inputs.run }}-3"}`, ""),
		action("w5", "create_order", `{"title":"{{ inputs.run }} w5 {{ steps.r2.output.status }}"}`, ""),
	}, ","), `,"output":"{{ steps.r3.output.body.id }}"`)
}

func begin50(t *testing.T, api process.API, round int) []string {
	t.Helper()
	ids := make([]string, 50)
	for i := range ids {
		ids[i] = begin(t, api, "ten", map[string]string{"run": fmt.Sprintf("r%d-%02d", round, i)})
	}
	return ids
}

// kill -9 amid 50 runs of ten steps, and a restart on the same folder: every run ends or waits for a person, no unsafe
// write is sent twice, and no recorded read is lost. The second time Temporal's file is deleted as well. In make chaos the
// same folder is killed over and over, at instants of chance.
func TestKillNineLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		harm func(t *testing.T, dir string)
	}{
		{name: "kill -9", harm: func(*testing.T, string) {}},
		{name: "kill -9 and the Temporal file deleted", harm: deleteTemporal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := newInstallation(t)
			setUp(t, in.api, "ten", tenSteps())
			var lost loss
			for r := newRounds(t); r.next(); {
				in.killAmid50(r.n, tt.harm, &lost)
			}
			if d := in.target.Doubled(); d != nil {
				t.Errorf("doubled: %v", d)
			}
			shows(t, "%v, %d requests, none doubled", &lost, len(in.target.Hits()))
		})
	}
}

func deleteTemporal(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "temporal.db*"))
	must(t, err)
	if len(files) == 0 {
		t.Fatal("there is no Temporal file to delete")
	}
	for _, f := range files {
		must(t, os.Remove(f))
	}
}

// killAmid50 kills the installation under 50 runs, harms its folder, starts it again and waits for all runs.
func (in *installation) killAmid50(round int, harm func(*testing.T, string), lost *loss) {
	t := in.t
	before, posted := len(in.target.Hits()), in.unsafeWrites()
	ids := begin50(t, in.api, round)
	after := 80
	if round > 1 {
		after = rand.IntN(450) // of 500 requests
	}
	eventually(t, func() bool { return len(in.target.Hits()) > before+after })
	in.program.Kill()
	harm(t, in.dir)
	in.start()
	unknowns := 0
	for _, id := range ids {
		unknowns += settle(t, in.api, id)
	}
	if n := in.unsafeWrites() - posted; n < 250-unknowns || n > 250 {
		t.Errorf("%d unsafe writes of 250 were sent, %d unknown", n, unknowns)
	}
	lost.rounds, lost.runs, lost.kills, lost.unknown = round, lost.runs+len(ids), lost.kills+1, lost.unknown+unknowns
}

func (in *installation) unsafeWrites() int {
	return in.target.Count("POST", "/") + in.target.Count("PATCH", "/")
}

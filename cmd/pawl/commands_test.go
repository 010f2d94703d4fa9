package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFromPluginToRun(t *testing.T) {
	t.Parallel()
	in := install(t)
	in.must("plugin", "push", in.file("shop.json", plugin("1.0.0")))
	in.must("plugin", "promote", "shop", "--to", "preview", "--projects", "default")
	if out := in.must("plugin", "promote", "shop", "--to", "production"); !strings.Contains(out, "routed from now on:   developer.shop.v1-0-0") {
		t.Errorf("promote: %s", out)
	}
	in.must("plugin", "push", in.file("shop.json", plugin("1.1.0")))
	if r := in.run("secret-canary\n", "account", "set", "shop", "--identity", "developer.shop.v1-0-0"); r.code != 0 || strings.Contains(r.stdout+r.stderr, "canary") {
		t.Errorf("account set: %+v", r)
	}
	in.must("grant", "add", "--action", "developer.shop.v1-0-0.create_order")
	if out := in.must("grant", "list"); !strings.Contains(out, "create_order") {
		t.Errorf("grant list: %s", out)
	}
	if out := in.must("automation", "apply", in.file("Orders.automation.json", document)); !strings.Contains(out, "create orders") {
		t.Errorf("apply: %s", out)
	}
	if out := in.must("automation", "publish", "orders", "-m", "first"); !strings.Contains(out, "version 1 is live") {
		t.Errorf("publish: %s", out)
	}
	var started struct{ ID, State string }
	if err := json.Unmarshal([]byte(in.must("run", "start", "orders", "--input", `{"n":1}`, "--json")), &started); err != nil {
		t.Fatal(err)
	}
	in.sql(`update run set state = 'succeeded', started_at = created_at, finished_at = clock_timestamp(), output = '{"n":7615917337495251231}' where id = $1`, started.ID)
	if out := in.must("run", "show", started.ID, "--json"); !strings.Contains(out, "7615917337495251231") || !strings.Contains(out, `"state": "succeeded"`) {
		t.Errorf("run show: %s", out)
	}
	var listed struct {
		Items []struct{ ID string }
		Next  *string
	}
	if err := json.Unmarshal([]byte(in.must("run", "list", "--json")), &listed); err != nil || len(listed.Items) != 1 || listed.Items[0].ID != started.ID {
		t.Errorf("run list: %+v %v", listed, err)
	}
	for _, args := range [][]string{
		{"plugin", "list"},
		{"plugin", "show", "shop"},
		{"plugin", "impact", "shop"},
		{"plugin", "export", "shop"},
		{"account", "list"},
		{"automation", "list"},
		{"automation", "show", "orders"},
		{"automation", "diff", "orders"},
		{"run", "show", started.ID},
		{"catalog"},
		{"key", "list"},
		{"project", "list"},
		{"audit"},
		{"audit", "--all"},
		{"doctor"},
	} {
		if out := in.must(args...); strings.Contains(out, "canary") {
			t.Errorf("%v shows the key: %s", args, out)
		}
		if args[1%len(args)] != "export" {
			if out := in.must(append(args, "--json")...); !json.Valid([]byte(out)) {
				t.Errorf("%v --json: %s", args, out)
			}
		}
	}
	in.must("plugin", "disable", "shop")
	in.must("plugin", "enable", "shop")
	in.must("plugin", "rollback", "shop", "--to", "1.0.0")
}

// TestWaitFollowsToTheEnd ends a run while a client follows it.
func TestWaitFollowsToTheEnd(t *testing.T) {
	t.Parallel()
	in := install(t)
	in.must("automation", "apply", in.file("orders.json", document))
	in.must("automation", "publish", "orders")
	in.sql(`create function end_run() returns trigger language plpgsql as $$ begin
		update run set state = case when new.input like '%fail%' then 'failed' else 'succeeded' end, started_at = created_at, finished_at = clock_timestamp(),
		  error = case when new.input like '%fail%' then '{"kind":"rejected","message":"no"}' end where id = new.id; return null; end $$`)
	in.sql(`create trigger end_run after insert on run for each row execute function end_run()`)
	good := in.run("", "run", "start", "orders", "--wait", "--json")
	var run struct{ State string }
	if err := json.Unmarshal([]byte(good.stdout), &run); err != nil || good.code != 0 || run.State != "succeeded" {
		t.Errorf("%+v %v", good, err)
	}
	if bad := in.run(`{"fail":true}`, "run", "start", "orders", "--wait", "--json", "--input", "-"); bad.code != 1 || !strings.Contains(bad.stdout, `"rejected"`) {
		t.Errorf("a run that failed: %+v", bad)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	in := install(t)
	tests := []struct {
		name string
		args []string
		want int
		says string
	}{
		{name: "help", args: []string{"--help"}, want: 0},
		{name: "no command", args: nil, want: 2},
		{name: "key that begins expired", args: []string{"key", "create", "old", "--expires", "2020-01-31"}, want: 1, says: "/expires_at"},
		{name: "key without a proper end", args: []string{"key", "create", "old", "--expires", "soon"}, want: 2, says: "--expires"},
		{name: "key that ends beyond all years", args: []string{"key", "create", "old", "--expires", "999999999d"}, want: 2, says: "--expires"},
		{name: "empty idempotency key", args: []string{"run", "start", "none", "--idempotency-key", ""}, want: 1, says: "Idempotency-Key is empty"},
		{name: "unknown command", args: []string{"plug"}, want: 2},
		{name: "unknown flag", args: []string{"run", "list", "--colour"}, want: 2},
		{name: "missing argument", args: []string{"run", "start"}, want: 2},
		{name: "wrong word", args: []string{"plugin", "promote", "shop", "--to", "moon"}, want: 2},
		{name: "nothing to grant", args: []string{"grant", "add"}, want: 2},
		{name: "host without plugin", args: []string{"grant", "add", "--host", "a.example.com"}, want: 2},
		{name: "unconfirmed", args: []string{"plugin", "remove", "shop"}, want: 2, says: "--yes"},
		{name: "confirmed, not there", args: []string{"plugin", "remove", "shop", "--yes"}, want: 1, says: "There is no plugin"},
		{name: "not there", args: []string{"run", "start", "none"}, want: 1, says: "pawl automation list"},
		{name: "wrong project", args: []string{"run", "list", "--project", "none"}, want: 1, says: `"none"`},
		{name: "wrong key", args: []string{"run", "list", "--key", "pawl_live_x"}, want: 1, says: "API key"},
		{name: "no key", args: []string{"run", "list", "--key", " "}, want: 1, says: "PAWL_KEY"},
		{name: "no server", args: []string{"run", "list", "--url", "http://127.0.0.1:1"}, want: 1, says: "PAWL_URL"},
		{name: "doctor without server", args: []string{"doctor", "--url", "http://127.0.0.1:1"}, want: 1},
		{name: "file that is not there", args: []string{"plugin", "push", "/none.json"}, want: 1, says: "/none.json"},
		{name: "settings that are missing", args: []string{"serve"}, want: 1, says: "PAWL_DATABASE_URL"},
	}
	for _, tt := range tests {
		r := in.run("", tt.args...)
		if r.code != tt.want || !strings.Contains(r.stderr, tt.says) {
			t.Errorf("%s: exit %d, %s, want %d and %q", tt.name, r.code, r.stderr, tt.want, tt.says)
		}
		if tt.want == 1 && tt.name != "doctor without server" && tt.name != "settings that are missing" {
			if j := in.run("", append(tt.args, "--json")...); !json.Valid([]byte(j.stderr)) || j.stdout != "" {
				t.Errorf("%s --json: %q %q", tt.name, j.stdout, j.stderr)
			}
		}
	}
}

func TestBadFilesNameTheirPlace(t *testing.T) {
	t.Parallel()
	in := install(t)
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	tests := []struct {
		name string
		text string
		want string
	}{
		{name: "empty", text: "", want: "Line 1, column 1"},
		{name: "truncated", text: document[:50], want: "Line 1, column 51"},
		{name: "no JSON", text: "steps:\n- a", want: "Line 1, column 1"},
		{name: "second line", text: "{\n  \"format\": x}", want: "Line 2, column 13"},
		{name: "unknown member", text: strings.Replace(document, `"name"`, `"nme":1,"name"`, 1), want: "/nme"},
		{name: "duplicate id", text: strings.Replace(document, `}]}`, `},{"id":"a","type":"set","value":1}]}`, 1), want: "/steps/1/id"},
		{name: "deep", text: strings.Replace(document, `{"n":7615917337495251231}`, deep, 1), want: "nested"},
		{name: "ten megabytes", text: strings.Replace(document, "Orders", strings.Repeat("x", 10<<20), 1), want: "bytes"},
	}
	for _, tt := range tests {
		file := in.file("orders.json", tt.text)
		for _, command := range []string{"validate", "apply"} {
			r := in.run("", "automation", command, file)
			if out := r.stdout + r.stderr; r.code != 1 || !strings.Contains(out, tt.want) {
				t.Errorf("automation %s, %s: exit %d, %.300s, want %q", command, tt.name, r.code, out, tt.want)
			}
		}
	}
	if out := in.must("automation", "list"); !strings.Contains(out, "None.") {
		t.Errorf("something was made: %s", out)
	}
	bad := in.file("bad.json", strings.Replace(plugin("1"), "https:", "http:", 1))
	r := in.run("", "plugin", "validate", bad, in.file("good.json", plugin("1.0.0")))
	for _, want := range []string{"/manifest/version", "/manifest/app/baseUrl", "good.json: valid"} {
		if r.code != 1 || !strings.Contains(r.stdout, want) {
			t.Errorf("plugin validate: %+v, want %q", r, want)
		}
	}
	if r := in.run("", "plugin", "push", bad); r.code != 1 || !strings.Contains(r.stderr, "/manifest/version") {
		t.Errorf("plugin push: %+v", r)
	}
}

func TestApplyAFolderTogether(t *testing.T) {
	t.Parallel()
	in := install(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one.json", document)
	write("two.automation.json", document)
	write("bad.json", "{")
	if r := in.run("", "automation", "apply", "-f", dir); r.code != 1 || !strings.Contains(r.stderr, "bad.json") {
		t.Errorf("a folder with a bad file: %+v", r)
	}
	if err := os.Remove(filepath.Join(dir, "bad.json")); err != nil {
		t.Fatal(err)
	}
	in.must("automation", "apply", "-f", dir)
	write("two.automation.json", strings.Replace(document, "7615917337495251231", "7615917337495251232", 1))
	out := in.must("automation", "apply", "-f", dir)
	for _, want := range []string{"unchanged one", "update two", "7615917337495251231", "7615917337495251232"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}

// TestDocumentationHasTheCommands looks for every command of the help in docs/commands.md.
func TestDocumentationHasTheCommands(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(run(t, nil, "", "--help").stdout, "Commands:")
	for _, line := range strings.Split(list, "\n") {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "   ") || len(words) == 0 {
			continue
		}
		name := strings.TrimSpace(line[2:min(len(line), 25)])
		if !strings.Contains(string(b), "`pawl "+name) {
			t.Errorf("docs/commands.md has no pawl %s", name)
		}
	}
}

func TestTestKeysStartDrafts(t *testing.T) {
	t.Parallel()
	in := install(t)
	in.must("automation", "apply", in.file("orders.json", document))
	key := strings.TrimSpace(in.must("key", "create", "ci", "--kind", "test", "--expires", "90d"))
	if out := in.must("key", "list"); !strings.Contains(out, "test") || !strings.Contains(out, "ci") {
		t.Errorf("key list: %s", out)
	}
	if r := in.run("", "automation", "publish", "orders", "--key", key); r.code != 1 || !strings.Contains(r.stderr, "A test key works with drafts") {
		t.Errorf("a test key publishes: %+v", r)
	}
	var started struct {
		ID      string
		Version *int
	}
	if err := json.Unmarshal([]byte(in.must("run", "start", "orders", "--key", key, "--json")), &started); err != nil || started.Version != nil {
		t.Errorf("a test key started %+v, %v", started, err)
	}
	if out := in.must("run", "list", "--key", key); !strings.Contains(out, started.ID) {
		t.Errorf("run list: %s", out)
	}
}

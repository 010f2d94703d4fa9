package config_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"pawl/internal/config"
)

var update = flag.Bool("update", false, "write docs/settings.md anew")

func TestDocumentationIsTheTable(t *testing.T) {
	const file = "../../docs/settings.md"
	if *update {
		if err := os.WriteFile(file, []byte(config.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(b), config.Markdown()); d != "" {
		t.Errorf("docs/settings.md is not what the table says; run: go test ./internal/config -update\n%s", d)
	}
}

func TestFlagsForKong(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	flags := config.NewFlags(config.Serve, config.Local)
	var cli struct {
		kong.Plugins
		Demo bool `help:"Add a demo."`
	}
	cli.Plugins = kong.Plugins{flags.Plugin()}
	parser, err := kong.New(&cli, kong.Writers(&help, &help), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"--listen=:9", "--demo", "--database-url", "postgres://x/y"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"listen": ":9", "database-url": "postgres://x/y"}
	if d := cmp.Diff(want, flags.Given()); d != "" || !cli.Demo {
		t.Errorf("demo %v, %s", cli.Demo, d)
	}
	_, _ = parser.Parse([]string{"--help"})
	for _, s := range config.Settings(config.Serve, config.Local) {
		if !strings.Contains(help.String(), "--"+s.Flag) {
			t.Errorf("--help does not name --%s:\n%s", s.Flag, help.String())
		}
	}
}

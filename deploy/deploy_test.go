package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/config"
)

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var assignment = regexp.MustCompile(`(?m)^#?(PAWL_[A-Z_]+)=(.*)$`)

func TestExampleHasEverySettingOnce(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, s := range config.Settings(config.Serve, config.Worker, config.Migrate) {
		want = append(want, s.Name)
	}
	for _, m := range assignment.FindAllStringSubmatch(read(t, "pawl.env.example"), -1) {
		got = append(got, m[1])
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestExampleIsAccepted takes the example as it stands, and with all its comments taken away.
func TestExampleIsAccepted(t *testing.T) {
	t.Parallel()
	for _, comments := range []string{"kept", "taken away"} {
		values := map[string]string{}
		for _, m := range assignment.FindAllStringSubmatch(read(t, "pawl.env.example"), -1) {
			if comments == "taken away" || !strings.HasPrefix(m[0], "#") {
				values[m[1]] = m[2]
			}
		}
		env := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
		for _, p := range []config.Process{config.Serve, config.Worker, config.Migrate} {
			if _, err := config.Load(p, nil, env); err != nil {
				t.Errorf("%s, comments %s: %v", p, comments, err)
			}
		}
	}
}

// TestUnitsKeepWhatShutdownNeeds guards the lines that no effect may be lost without.
func TestUnitsKeepWhatShutdownNeeds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		want []string
	}{
		{name: "pawl-serve.service", want: []string{"ExecStart=/usr/local/bin/pawl serve", "KillSignal=SIGTERM", "TimeoutStopSec=60", "Restart=always"}},
		{name: "pawl-worker@.service", want: []string{"ExecStart=/usr/local/bin/pawl worker", "KillSignal=SIGTERM", "TimeoutStopSec=60", "Restart=always"}},
		{name: "pawl-migrate.service", want: []string{"ExecStart=/usr/local/bin/pawl migrate", "Type=oneshot"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lines := strings.Split(read(t, filepath.Join("systemd", tt.name)), "\n")
			for _, want := range append(tt.want, "User=pawl", "EnvironmentFile=/etc/pawl/pawl.env", "NoNewPrivileges=yes", "ProtectSystem=strict") {
				if !slices.Contains(lines, want) {
					t.Errorf("%s is missing", want)
				}
			}
		})
	}
}

package config_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/config"
	"pawl/internal/fault"
)

func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

// enough are the settings that serve and worker can't do without.
func enough() map[string]string {
	return map[string]string{"PAWL_DATABASE_URL": "postgres://pawl:pw@db/pawl", "PAWL_MASTER_KEY": "file:/k"}
}

func with(name, value string) map[string]string {
	m := enough()
	m[name] = value
	return m
}

func TestFlagGoesBeforeEnvironmentBeforeDefault(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		flags map[string]string
		env   map[string]string
		value string
		want  config.Source
	}{
		{name: "neither", env: enough(), value: "127.0.0.1:8080", want: config.FromDefault},
		{name: "environment", env: with("PAWL_LISTEN", ":1"), value: ":1", want: config.FromEnvironment},
		{name: "empty environment", env: with("PAWL_LISTEN", ""), value: "127.0.0.1:8080", want: config.FromDefault},
		{name: "both", env: with("PAWL_LISTEN", ":1"), flags: map[string]string{"listen": ":2"}, value: ":2", want: config.FromFlag},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := config.Load(config.Serve, tt.flags, environment(tt.env))
			if err != nil {
				t.Fatal(err)
			}
			if c.Listen != tt.value {
				t.Errorf("listens on %q, want %q", c.Listen, tt.value)
			}
			for _, l := range c.Lines() {
				if l.Name == "PAWL_LISTEN" && (l.From != tt.want || l.Value != tt.value) {
					t.Errorf("shown as %+v, want from %s", l, tt.want)
				}
			}
		})
	}
}

func TestWrongValuesNameTheSettingAndTheWayOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		process config.Process // Serve unless set
		env     map[string]string
		want    []string // one for each problem: parts of its sentence
	}{
		{name: "nothing set", env: nil, want: []string{"PAWL_DATABASE_URL (--database-url) is not set", "PAWL_MASTER_KEY (--master-key) is not set"}},
		{name: "address without port", env: with("PAWL_LISTEN", "localhost"), want: []string{`PAWL_LISTEN (--listen) is "localhost", but it must be an address and a port number, for instance 0.0.0.0:8080.`}},
		{name: "port too large", env: with("PAWL_LISTEN", ":65536"), want: []string{"PAWL_LISTEN"}},
		{name: "number", env: with("PAWL_DATABASE_CONNECTIONS", "many"), want: []string{"whole number from 4 to 1000"}},
		{name: "number too small", env: with("PAWL_DATABASE_CONNECTIONS", "0"), want: []string{"whole number from 4 to 1000"}},
		{name: "closed list", env: with("PAWL_LOG_LEVEL", "loud"), want: []string{"must be one of debug info warn error"}},
		{name: "address of a page", env: with("PAWL_PUBLIC_URL", "pawl.example.com"), want: []string{"PAWL_PUBLIC_URL"}},
		{name: "address with a slash", env: with("PAWL_PUBLIC_URL", "https://pawl.example.com/"), want: []string{"without a slash"}},
		{name: "proxies by name", env: with("PAWL_TRUSTED_PROXIES", "10.0.0.0/8,proxy.internal"), want: []string{"must be CIDRs with commas between them, or none"}},
		{name: "certificate without key", process: config.Worker, env: with("PAWL_TEMPORAL_CERT", "/c"), want: []string{"belong together"}},
		{name: "two lines", env: with("PAWL_EGRESS_ALLOW", "a=10.0.0.0/8\nb"), want: []string{"one line"}},
		{
			name: "several", env: map[string]string{"PAWL_DATABASE_URL": "db.internal", "PAWL_LOG_FORMAT": "xml"},
			want: []string{"PAWL_DATABASE_URL (--database-url) has a wrong form", "PAWL_MASTER_KEY", "PAWL_LOG_FORMAT"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.process == "" {
				tt.process = config.Serve
			}
			_, err := config.Load(tt.process, nil, environment(tt.env))
			var list fault.List
			if !errors.As(err, &list) || len(list) != len(tt.want) {
				t.Fatalf("got %v, want %d problems", err, len(tt.want))
			}
			for i, want := range tt.want {
				if list[i].Kind != fault.InvalidInput || !strings.Contains(list[i].Message, want) {
					t.Errorf("problem %d is %q, want %q", i, list[i].Message, want)
				}
			}
		})
	}
}

func TestNetworks(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{name: "not given", text: "", want: "127.0.0.0/8,::1/128"},
		{name: "none", text: "none", want: "none"},
		{name: "several, with bits of a host", text: "10.1.2.3/8, 2001:db8::1/32", want: "10.0.0.0/8,2001:db8::/32"},
	}
	for _, tt := range tests {
		c, err := config.Load(config.Serve, nil, environment(with("PAWL_TRUSTED_PROXIES", tt.text)))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		for _, l := range c.Lines(config.Serve) {
			if l.Name == "PAWL_TRUSTED_PROXIES" && l.Value != tt.want {
				t.Errorf("%s: shown as %q, want %q", tt.name, l.Value, tt.want)
			}
		}
	}
}

func TestWhatAProcessDoesNotUseIsNotRead(t *testing.T) {
	t.Parallel()
	c, err := config.Load(config.Client, nil, environment(map[string]string{"PAWL_LISTEN": "nonsense", "PAWL_KEY": "k"}))
	if err != nil || c.Key.Expose() != "k" || c.URL != "http://127.0.0.1:8080" {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := config.Load(config.Local, nil, environment(nil)); err != nil {
		t.Errorf("pawl-local needs a setting: %v", err)
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-value"
	tests := []struct {
		name     string
		database string
		want     string
	}{
		{name: "address", database: "postgres://pawl:" + secret + "@db:5432/pawl?sslpassword=" + secret, want: "postgres://pawl@db:5432/pawl (set, not shown)"},
		{name: "keywords", database: "host=/run/db user=pawl password='" + secret + " x' dbname=pawl", want: "host=/run/db user=pawl dbname=pawl (set, not shown)"},
		{name: "keywords inside a password", database: "password='a host=" + secret + "' user=pawl", want: "user=pawl (set, not shown)"},
		{name: "quote inside a password", database: "password=a'b host=" + secret + "' user=pawl", want: "(set, not shown)"},
		{name: "wrong form", database: "mysql://" + secret},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := config.Load(config.Serve, map[string]string{"master-key": secret}, environment(map[string]string{"PAWL_DATABASE_URL": tt.database}))
			all := fmt.Sprintf("%v %+v %#v %v", c, c, c, err)
			for _, l := range c.Lines() {
				all += fmt.Sprintf("\n%+v", l)
				if l.Name == "PAWL_DATABASE_URL" && tt.want != "" && l.Value != tt.want {
					t.Errorf("shown as %q, want %q", l.Value, tt.want)
				}
			}
			if strings.Contains(all, secret) {
				t.Errorf("the secret is shown:\n%s", all)
			}
		})
	}
}

func TestUnknownVariablesAreFound(t *testing.T) {
	t.Parallel()
	got := config.Unknown([]string{"PAWL_LISTN=:1", "PAWL_LISTEN=:1", "PATH=/bin", "PAWL_TEST_DATABASE_URL=x", "PAWL_A"})
	if d := cmp.Diff([]string{"PAWL_A", "PAWL_LISTN"}, got); d != "" {
		t.Error(d)
	}
}

func TestDefaultsAndExamplesAreValid(t *testing.T) {
	t.Parallel()
	for _, s := range config.Settings() {
		env := enough()
		env[s.Name] = s.Example
		if s.Name == "PAWL_TEMPORAL_CERT" || s.Name == "PAWL_TEMPORAL_KEY" {
			env["PAWL_TEMPORAL_CERT"], env["PAWL_TEMPORAL_KEY"] = "/c", "/k"
		}
		for _, p := range s.UsedBy {
			if _, err := config.Load(p, nil, environment(env)); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
}

func TestTemporalTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, key, bad := filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem"), filepath.Join(dir, "bad.pem")
	writePair(t, good, key)
	if err := os.WriteFile(bad, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		flags map[string]string
		want  string // part of the error; empty: none
	}{
		{name: "off", flags: map[string]string{}},
		{name: "system's authorities", flags: map[string]string{"temporal-tls": "on"}},
		{name: "own authority and certificate", flags: map[string]string{"temporal-tls": "on", "temporal-ca": good, "temporal-cert": good, "temporal-key": key}},
		{name: "authority without a certificate", flags: map[string]string{"temporal-tls": "on", "temporal-ca": bad}, want: "PAWL_TEMPORAL_CA"},
		{name: "missing file", flags: map[string]string{"temporal-tls": "on", "temporal-ca": dir + "/none"}, want: "PAWL_TEMPORAL_CA"},
		{name: "bad key", flags: map[string]string{"temporal-tls": "on", "temporal-cert": good, "temporal-key": bad}, want: "PAWL_TEMPORAL_KEY"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := config.Load(config.Worker, tt.flags, environment(enough()))
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.TemporalTLSConfig()
			if (tt.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if on := tt.flags["temporal-tls"] == "on"; err == nil && on != (got != nil) {
				t.Errorf("TLS is %v, want %v", got != nil, on)
			}
		})
	}
}

func writePair(t *testing.T, certificate, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

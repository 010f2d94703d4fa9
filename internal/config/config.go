// Package config is the one table of Pawl's settings: environment variables PAWL_*, each also a flag. The flags of
// the commands, what is read, the errors, docs/settings.md and the output of `pawl config` all come from it
// (table.go), so they can't differ.
package config

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/netip"
	"os"

	"pawl/connections/vault"
	"pawl/internal/fault"
)

// Config holds the settings of one process. What a process does not use keeps its default. Texts that other
// packages parse (PAWL_EGRESS_*, PAWL_MASTER_KEY) are kept as they were given.
type Config struct {
	// Data is the data folder of pawl-local.
	Data string
	// PostgresBin is the folder of initdb and postgres, or empty to look for it.
	PostgresBin string
	// Database connects to PostgreSQL: an address or keywords and values, as pgx and psql read them. It may hold a
	// password.
	Database vault.Secret
	// DatabaseConnections is the most connections that the process opens.
	DatabaseConnections int
	// Temporal is host:port of the frontend.
	Temporal          string
	TemporalNamespace string
	// TemporalTLS says whether to connect with TLS; the files are PEM, and empty for the system's authorities and no
	// client certificate.
	TemporalTLS  Switch
	TemporalCA   string
	TemporalCert string
	TemporalKey  string
	// Listen is host:port of the server.
	Listen string
	// PublicURL is the address by which people and webhooks reach the server, without a slash at the end. Empty is
	// http:// and Listen.
	PublicURL string
	// Proxies are the networks of proxies in front of the server.
	Proxies []netip.Prefix
	// MasterKey is what vault.LoadMasterKey reads.
	MasterKey vault.Secret
	// EgressAllow, EgressDeny, EgressConnectTo and EgressDNS are texts for package egress, EgressCA is a PEM file.
	EgressAllow     string
	EgressDeny      string
	EgressConnectTo string
	EgressCA        string
	EgressDNS       string
	LogLevel        LogLevel
	LogFormat       LogFormat
	// URL, Key and Project are what client commands talk to, and as whom.
	URL     string
	Key     vault.Secret
	Project string

	from map[string]Source
}

// Switch is on or off.
type Switch string

// The values of a Switch.
const (
	Off Switch = "off"
	On  Switch = "on"
)

// LogLevel is the least level that is logged.
type LogLevel string

// The levels of the log.
const (
	Debug LogLevel = "debug"
	Info  LogLevel = "info"
	Warn  LogLevel = "warn"
	Error LogLevel = "error"
)

// LogFormat is how the log is written to standard error.
type LogFormat string

// The formats of the log.
const (
	Text LogFormat = "text"
	JSON LogFormat = "json"
)

// Source says where a setting's value came from.
type Source string

// The sources, the strongest first.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromDefault     Source = "default"
)

// Load reads the settings of a process. Flags (by name, without the dashes) go before the environment, which goes
// before the defaults; an empty text counts as not given. All problems come at once, as a fault.List, each naming
// the setting and how to mend it.
func Load(p Process, flags map[string]string, env func(name string) (string, bool)) (Config, error) {
	c := Config{from: map[string]Source{}}
	var problems fault.List
	for _, s := range table() {
		text, from := s.find(p, flags, env)
		c.from[s.Name] = from
		if text == "" && s.required(p) {
			problems = append(problems, s.missing())
		}
		if text == "" {
			continue
		}
		if err := s.value.read(&c, text); err != nil {
			problems = append(problems, s.wrong(text, err))
		}
	}
	if (c.TemporalCert == "") != (c.TemporalKey == "") {
		problems = append(problems, fault.New(fault.InvalidInput, "setting",
			"PAWL_TEMPORAL_CERT and PAWL_TEMPORAL_KEY belong together: set both, or none."))
	}
	return c, problems.Err()
}

// TemporalTLSConfig reads the files; nil when TLS is off.
func (c Config) TemporalTLSConfig() (*tls.Config, error) {
	if c.TemporalTLS != On {
		return nil, nil
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.TemporalCA != "" {
		b, err := os.ReadFile(c.TemporalCA)
		if err != nil {
			return nil, unusable("PAWL_TEMPORAL_CA", err)
		}
		if t.RootCAs = x509.NewCertPool(); !t.RootCAs.AppendCertsFromPEM(b) {
			return nil, unusable("PAWL_TEMPORAL_CA", fmt.Errorf("%s holds no certificate in PEM form", c.TemporalCA))
		}
	}
	if c.TemporalCert != "" {
		pair, err := tls.LoadX509KeyPair(c.TemporalCert, c.TemporalKey)
		if err != nil {
			return nil, unusable("PAWL_TEMPORAL_CERT and PAWL_TEMPORAL_KEY", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}

func unusable(name string, err error) error {
	return fault.New(fault.InvalidInput, "setting", "What %s names can't be used: %v.", name, err).Because(err)
}

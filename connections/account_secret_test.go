package connections_test

import (
	"strings"
	"testing"

	"pawl/connections"
	"pawl/connections/vault"
)

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	const bearer, header, query, basic = connections.BearerSecret, connections.HeaderSecret, connections.QuerySecret, connections.BasicSecret
	tests := []struct {
		name string
		kind connections.SecretKind
		text string
		want bool
	}{
		{"token", bearer, "1|abc.DEF-_~+/=:", true},
		{"token with a space", bearer, "Bearer abc", false},
		{"token beyond ASCII", bearer, "żółć", false},
		{"header with an inner space", header, "Token abc", true},
		{"header beyond ASCII", header, "clé", false},
		{"query beyond ASCII", query, "clé", true},
		{"C024 basic beyond ASCII", basic, "ops:żółć:9", true},
		{"basic without a colon", basic, "ops", false},
		{"empty", bearer, "", false},
		{"longest", bearer, strings.Repeat("a", vault.MaxSecret), true},
		{"too long", bearer, strings.Repeat("a", vault.MaxSecret+1), false},
		{"line feed at the end", bearer, "abc\n", false},
		{"CR LF and another header", header, "abc\r\nX-Admin: 1", false},
		{"NUL", query, "a\x00b", false},
		{"DEL", query, "a\x7fb", false},
		{"C1 control character", query, "a\u0085b", false},
		{"space at the start", header, " abc", false},
		{"no-break space at the end", query, "abc\u00a0", false},
		{"not UTF-8", query, "a\xffb", false},
		{"no key wanted", connections.NoSecret, "abc", false},
	}
	for _, tt := range tests {
		err := connections.CheckSecret(tt.kind, vault.NewSecret(tt.text))
		if (err == nil) != tt.want {
			t.Errorf("%s: %v, want accepted %v", tt.name, err, tt.want)
		}
		if err != nil && len(tt.text) > 3 && strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: the message quotes the key", tt.name)
		}
	}
}

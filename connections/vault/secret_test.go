package vault_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pawl/connections/vault"
)

const canary = "canary-7f3a"

type holder struct {
	Name   string
	Public vault.Secret
	hidden vault.Secret
	ptr    *vault.Secret
	list   []vault.Secret
	named  map[string]vault.Secret
}

func newHolder() holder {
	s := vault.NewSecret(canary)
	return holder{"h", s, s, &s, []vault.Secret{s}, map[string]vault.Secret{"k": s}}
}

func TestSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	h := newHolder()
	for _, v := range []any{h.Public, &h.Public, h, &h, []any{h}, map[string]any{"h": h}, fmt.Errorf("a: %v", h.hidden)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%T", "%p", "%08.3v", "%!"} {
			out := fmt.Sprintf(verb, v)
			if strings.Contains(out, canary) || strings.Contains(out, fmt.Sprintf("%x", canary)) || strings.Contains(out, fmt.Sprintf("%d", []byte(canary))) {
				t.Errorf("Sprintf(%q, %T) shows the secret: %s", verb, v, out)
			}
		}
	}
	if got, want := fmt.Sprint(h.Public), "[secret]"; got != want {
		t.Errorf("Sprint = %q, want %q", got, want)
	}
}

func TestSecretIsNeverMarshalled(t *testing.T) {
	t.Parallel()
	h := newHolder()
	got, err := json.Marshal(h)
	if want := `{"Name":"h","Public":"[secret]"}`; err != nil || string(got) != want {
		t.Errorf("json.Marshal = %s, %v, want %s", got, err, want)
	}
	if b, _ := xml.Marshal(h.Public); bytes.Contains(b, []byte(canary)) {
		t.Errorf("xml.Marshal shows the secret: %s", b)
	}
	if b, _ := json.Marshal(map[string]any{"a": h.named, "b": h.list, "c": h.ptr}); bytes.Contains(b, []byte(canary)) {
		t.Errorf("json.Marshal of containers shows the secret: %s", b)
	}
}

func TestSecretIsNeverLogged(t *testing.T) {
	t.Parallel()
	h := newHolder()
	var b bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		l := slog.New(handler).With("with", h.Public)
		l.Info("m", "secret", h.Public, "ptr", h.ptr, "struct", h, "group", slog.GroupValue(slog.Any("s", h.hidden)))
	}
	if strings.Contains(b.String(), canary) {
		t.Errorf("the log shows the secret: %s", b.String())
	}
}

func TestSecretExposes(t *testing.T) {
	t.Parallel()
	s := vault.NewSecret(" " + canary + "\n")
	if got, want := s.Expose(), " "+canary+"\n"; got != want {
		t.Errorf("Expose = %q, want %q", got, want)
	}
	if !s.Equal(vault.NewSecret(s.Expose())) || s.Equal(vault.NewSecret(canary)) {
		t.Error("Equal does not compare the texts")
	}
	var zero vault.Secret
	if !zero.Empty() || zero.Expose() != "" || fmt.Sprint(zero) != "[secret]" {
		t.Error("the zero secret is not an empty, hidden one")
	}
}

func TestMasterKeyIsNeverPrinted(t *testing.T) {
	t.Parallel()
	k := newKey(t)
	out := fmt.Sprintf("%v %+v %#v %s", k, &k, struct{ k vault.MasterKey }{k}, k)
	if b, _ := json.Marshal(k); strings.Contains(out+string(b), k.Text()[:20]) {
		t.Errorf("the master key is shown: %s %s", out, b)
	}
}

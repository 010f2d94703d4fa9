package harness_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"pawl/actions/jsbox/harness"
)

func TestThePolicyAllowsTheScriptOfThePageAlone(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(harness.Page(), "<script>")
	script, end, _ := strings.Cut(rest, "</script>")
	if script != harness.Script() || strings.TrimSpace(end) != "" {
		t.Fatal("the page is not the harness alone")
	}
	sum := sha256.Sum256([]byte(script))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(harness.Policy(), want) {
		t.Errorf("the policy is %s", harness.Policy())
	}
	for _, bad := range []string{"'self'", "https:", "*", "'unsafe-inline'", "allow-same-origin", "connect-src"} {
		if strings.Contains(harness.Policy(), bad) {
			t.Errorf("the policy has %s", bad)
		}
	}
}

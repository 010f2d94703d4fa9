package serving

import (
	"os"
	"strings"
)

// zones names the time zone database in use: the version that the machine's files state, else the one that Go carries.
func zones() string {
	for _, dir := range []string{os.Getenv("ZONEINFO"), "/usr/share/zoneinfo"} {
		if dir == "" {
			continue
		}
		if b, err := os.ReadFile(dir + "/tzdata.zi"); err == nil {
			first, _, _ := strings.Cut(string(b), "\n")
			return strings.TrimPrefix(first, "# version ")
		}
		if b, err := os.ReadFile(dir + "/+VERSION"); err == nil {
			return strings.TrimSpace(string(b))
		}
	}
	return "built in"
}

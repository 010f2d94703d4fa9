package api

import (
	"net/http"
	"strconv"
	"strings"
)

// coding is a content coding (RFC 9110, section 8.4.1).
type coding string

const (
	plain  coding = "identity"
	zipped coding = "gzip"
	brotli coding = "br"
)

// codingFor is what a client wants of the codings that there are, the best one first; plain for none of them.
func codingFor(r *http.Request, have ...coding) coding {
	wishes := wishesOf(r.Header.Values("Accept-Encoding"))
	best, most := plain, wishes[plain]
	for _, c := range have {
		q, named := wishes[c]
		if !named {
			q = wishes["*"]
		}
		if q > 0 && q >= most && (best == plain || q > most) {
			best, most = c, q
		}
	}
	return best
}

// wishesOf reads Accept-Encoding (RFC 9110, section 12.5.3): how much a client wants each coding, from 0 to 1. What can't
// be read is not wanted.
func wishesOf(values []string) map[coding]float64 {
	wishes := make(map[coding]float64)
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, weight, weighted := strings.Cut(part, ";")
		q := 1.0
		if weighted {
			number, _ := strings.CutPrefix(strings.ToLower(strings.TrimSpace(weight)), "q=")
			var err error
			if q, err = strconv.ParseFloat(number, 64); err != nil || q < 0 || q > 1 {
				q = 0
			}
		}
		if name = strings.ToLower(strings.TrimSpace(name)); name == "x-gzip" {
			name = string(zipped)
		}
		wishes[coding(name)] = q
	}
	return wishes
}

// compressible says whether texts of a media type get much smaller. Event streams are none of them: what is sent has to
// arrive at once.
func compressible(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	switch media = strings.ToLower(strings.TrimSpace(media)); media {
	case "text/event-stream":
		return false
	case "application/javascript", "application/json", "application/manifest+json", "application/wasm", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json")
}

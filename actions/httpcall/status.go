package httpcall

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"pawl/internal/fault"
)

// statusFault maps a final status to a kind; nil for 2xx. The answer's status and Retry-After are set already.
func (k *call) statusFault(from *url.URL) *fault.Error {
	status, host := k.answer.Status, from.Hostname()
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusUnauthorized:
		return fault.New(fault.Unauthorized, "", "%s refused the account's key (401). Check the key, or set a new one for this account.", host)
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && k.answer.RetryAfter.Given:
		return fault.New(fault.RateLimited, "", "%s asks for fewer requests (%d)%s.", host, status, k.waitText())
	case status >= 500 && status < 600:
		return fault.New(fault.ProviderError, "", "%s failed (%s). The fault is on its side; its answer is kept with this error.", host, statusText(status))
	case status >= 400 && status < 500:
		return fault.New(fault.Rejected, "", "%s refused the request (%s). Its answer, kept with this error, may say what to change.", host, statusText(status))
	}
	return fault.New(fault.InvalidResponse, "status", "%s answered with the status %s, which no step can use.", host, statusText(status))
}

func (k *call) waitText() string {
	if !k.answer.RetryAfter.Given {
		return ""
	}
	return fmt.Sprintf(", and to wait %s", k.answer.RetryAfter.Delay)
}

func statusText(status int) string {
	if name := http.StatusText(status); name != "" {
		return fmt.Sprintf("%d %s", status, name)
	}
	return fmt.Sprint(status)
}

// tellingHeaders picks from an error answer the fields that help to understand it.
func tellingHeaders(h map[string]string) map[string]string {
	picked := map[string]string{}
	for name, value := range h {
		switch name {
		case "content-type", "retry-after", "date", "location", "www-authenticate", "x-request-id", "request-id",
			"x-correlation-id", "x-amzn-requestid", "cf-ray", "traceparent":
			picked[name] = value
		default:
			if strings.HasPrefix(name, "ratelimit") || strings.HasPrefix(name, "x-ratelimit") || strings.HasPrefix(name, "x-rate-limit") {
				picked[name] = value
			}
		}
	}
	return picked
}

func sizeText(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

func summary(list fault.List) string {
	if len(list) == 1 {
		return list[0].Message
	}
	return fmt.Sprintf("There are %d problems; the first: %s", len(list), list[0].Message)
}

// asProblem is a transformer: it turns huma's own errors, of parameters and bodies that don't fit their schema,
// into problems. It drops the offending values, which can be secrets.
func asProblem(ctx huma.Context, status string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	var list fault.List
	for _, d := range m.Errors {
		if d != nil {
			list = append(list, fault.New(kindOfStatus(m.Status), reasonOf(d.Location), "%s: %s.", placeOf(d.Location), d.Message).At(pointerOf(d.Location)))
		}
	}
	if len(list) == 0 {
		list = fault.List{fault.New(kindOfStatus(m.Status), "request", "%s.", m.Detail)}
	}
	p := newProblem(list, instanceOf(ctx.Context()))
	p.Status = m.Status // it is on its way already
	p.Title = http.StatusText(m.Status)
	return p, nil
}

func kindOfStatus(status int) fault.Kind {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return fault.TooLarge
	case http.StatusRequestTimeout:
		return fault.Timeout
	}
	if status >= http.StatusInternalServerError {
		return fault.Internal
	}
	return fault.InvalidInput
}

// reasonOf is body, path, query or header.
func reasonOf(location string) string {
	first, _, _ := strings.Cut(location, ".")
	return first
}

func placeOf(location string) string {
	switch reason := reasonOf(location); reason {
	case "body":
		if pointerOf(location) == "" {
			return "The body"
		}
		return pointerOf(location)
	case "":
		return "The request"
	default:
		return "The parameter " + strings.TrimPrefix(location, reason+".")
	}
}

// pointerOf turns huma's "body.items[3].tags" into the JSON pointer "/items/3/tags"; empty for parameters.
func pointerOf(location string) string {
	rest, ok := strings.CutPrefix(location, "body")
	if !ok || rest == "" {
		return ""
	}
	var b strings.Builder
	for _, part := range strings.Split(strings.TrimPrefix(rest, "."), ".") {
		name, indexes, _ := strings.Cut(part, "[")
		if name != "" {
			b.WriteString(canon.Pointer(name))
		}
		for _, i := range strings.Split(indexes, "[") {
			if n, err := strconv.Atoi(strings.TrimSuffix(i, "]")); err == nil {
				b.WriteString(canon.Pointer(strconv.Itoa(n)))
			}
		}
	}
	return b.String()
}

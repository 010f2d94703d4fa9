package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"pawl/internal/fault"
)

// Problem is a refusal of the server: problem details (RFC 9457) with the members of docs/api.md.
type Problem struct {
	Status int          `json:"status,omitempty"`
	Title  string       `json:"title"`
	Detail string       `json:"detail"`
	Kind   fault.Kind   `json:"kind"`
	Reason string       `json:"reason,omitempty"`
	Where  *fault.Where `json:"where,omitempty"`
	Errors []Item       `json:"errors,omitempty"`
	// Raw is the whole answer.
	Raw json.RawMessage `json:"-"`
}

// Item is one of several problems, or one problem of a document.
type Item struct {
	Kind    fault.Kind   `json:"kind"`
	Reason  string       `json:"reason,omitempty"`
	Message string       `json:"message"`
	Where   *fault.Where `json:"where,omitempty"`
}

func problemOf(res *http.Response, body []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(body, p) != nil || p.Kind == "" {
		p = &Problem{Status: res.StatusCode, Kind: fault.Internal, Detail: fmt.Sprintf("The server answered %s without saying why. Is PAWL_URL the address of Pawl?", res.Status)}
		body, _ = json.Marshal(p) // texts and a number
	}
	p.Raw = body
	return p
}

// Error lists the problems, one a line, each with its place.
func (p *Problem) Error() string {
	if len(p.Errors) == 0 {
		return Item{p.Kind, p.Reason, p.Detail, p.Where}.String()
	}
	lines := make([]string, 0, len(p.Errors))
	for _, e := range p.Errors {
		lines = append(lines, e.String())
	}
	return strings.Join(lines, "\n")
}

// String is the sentence with its place in front and the kind behind it.
func (i Item) String() string {
	var place []string
	if w := i.Where; w != nil {
		if w.Step != "" {
			place = append(place, "step "+w.Step)
		}
		if w.Pointer != "" {
			place = append(place, w.Pointer)
		}
		if w.Expression != "" {
			place = append(place, "{{ "+strings.TrimSpace(w.Expression)+" }}")
		}
	}
	kind := string(i.Kind)
	if i.Reason != "" {
		kind += ", " + i.Reason
	}
	text := fmt.Sprintf("%s (%s)", i.Message, kind)
	if len(place) > 0 {
		text = strings.Join(place, ", ") + ": " + text
	}
	return text
}

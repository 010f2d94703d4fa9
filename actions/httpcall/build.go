package httpcall

import (
	"net/url"
	"strings"

	"pawl/actions"
	"pawl/actions/egress"
	"pawl/internal/fault"
)

// Build makes the request of an action from its evaluated input, a JSON object whose members are the ids of
// inputs. All problems come back at once as a fault.List; each points at its member. An action that can't be
// sent at all (no https origin, a body on GET) gives one *fault.Error.
//
// An input that is absent or null is left out; empty texts, zeros and false are sent.
func Build(a *actions.Action, input []byte) (*Request, error) {
	origin, err := originOf(a)
	if err != nil {
		return nil, err
	}
	b := builder{action: a, list: make(map[string][]byte, len(a.Inputs))}
	if err := b.read(input); err != nil {
		return nil, err
	}
	for i := range a.Inputs {
		b.place(&a.Inputs[i])
	}
	target := origin + b.path()
	if len(b.query) > 0 {
		target += "?" + string(b.query)
	}
	body := b.finishBody()
	b.checkSizes(target, body)
	if err := b.problems.Err(); err != nil {
		return nil, err
	}
	return &Request{Method: string(a.Method), URL: target, Header: b.header(body), Body: body}, nil
}

// originOf checks what the releases have checked already, because everything here rests on it.
func originOf(a *actions.Action) (string, error) {
	u, err := url.Parse(a.Origin)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" {
		return "", fault.New(fault.InvalidInput, "origin", "The origin of %s is %q: it must be https:// and a host, without a path.", a.Identity, a.Origin)
	}
	host, err := egress.Host(u.Hostname())
	if err != nil {
		return "", err
	}
	for i := range a.Inputs {
		if a.Method == actions.GET && a.Inputs[i].In == actions.InBody {
			return "", fault.New(fault.InvalidInput, "get_body",
				"%s is a GET, which has no body, but its input %s is placed there: place it in the query.", a.Identity, a.Inputs[i].ID)
		}
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != "443" {
		host += ":" + port
	}
	return "https://" + host, nil
}

type builder struct {
	action   *actions.Action
	list     map[string][]byte // the input's members, compact
	segments map[string]string // path inputs, not yet encoded
	query    []byte
	body     []byte
	inBody   bool // an input is declared there
	problems fault.List
}

// read takes the input apart and refuses members that the action does not declare.
func (b *builder) read(input []byte) error {
	members, err := splitObject(input, requestJSON())
	if err != nil {
		return fault.New(fault.InvalidInput, "json", "The input of %s is no JSON object: %s.", b.action.Identity, syntaxText(err)).At("")
	}
	for _, m := range members {
		if _, twice := b.list[m.name]; twice {
			b.problem(m.name, "duplicate", "%s is given twice.", m.name)
		}
		b.list[m.name] = m.raw
		if !b.declared(m.name) {
			b.unknown(m.name)
		}
	}
	return nil
}

func (b *builder) declared(id string) bool {
	for i := range b.action.Inputs {
		if b.action.Inputs[i].ID == id {
			return true
		}
	}
	return false
}

func (b *builder) unknown(name string) {
	hint := "it takes no inputs"
	if near := nearest(name, b.action.Inputs); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(b.action.Inputs) > 0 {
		ids := make([]string, 0, len(b.action.Inputs))
		for i := range b.action.Inputs {
			ids = append(ids, b.action.Inputs[i].ID)
		}
		hint = "it takes " + clip(strings.Join(ids, ", "), 300)
	}
	b.problem(name, "unknown_input", "%s has no input %q; %s", b.action.Identity, clip(name, 100), hint)
}

// problem notes one problem at the member of an input.
func (b *builder) problem(id, reason, format string, args ...any) {
	if len(b.problems) < maxProblems {
		pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(id)
		b.problems = append(b.problems, fault.New(fault.InvalidInput, reason, format, args...).At(pointer))
	}
}

// place puts one input where it is declared to go.
func (b *builder) place(in *actions.Input) {
	b.inBody = b.inBody || in.In == actions.InBody
	raw, given := b.list[in.ID]
	if !given || isNull(raw) {
		if in.Required || in.In == actions.InPath {
			b.problem(in.ID, "required", "%s is required and has no value.", in.ID)
		}
		return
	}
	var err error
	switch in.In {
	case actions.InPath:
		err = b.placePath(in, raw)
	case actions.InQuery:
		b.query, err = appendPairs(b.query, in, raw, appendQuery)
	case actions.InBody:
		if b.action.Body == actions.FormBody {
			b.body, err = appendPairs(b.body, in, raw, appendFormEscaped)
		} else {
			err = b.placeMember(in, raw)
		}
	default:
		err = fault.New(fault.InvalidInput, "placement", "is declared at an unknown place")
	}
	if err != nil {
		b.problem(in.ID, fault.From(err).Reason, "%s %s.", in.ID, fault.From(err).Message)
	}
}

// finishBody gives the body: nil where no input is declared there.
func (b *builder) finishBody() []byte {
	switch {
	case !b.inBody:
		return nil
	case b.action.Body == actions.FormBody:
		if b.body == nil {
			return []byte{}
		}
		return b.body
	case b.body == nil:
		return []byte("{}")
	}
	return append(b.body, '}')
}

func (b *builder) header(body []byte) []Field {
	fields := []Field{{"Accept", "application/json, */*;q=0.5"}}
	switch {
	case body == nil:
	case b.action.Body == actions.FormBody:
		fields = append(fields, Field{"Content-Type", "application/x-www-form-urlencoded"})
	default:
		fields = append(fields, Field{"Content-Type", "application/json"})
	}
	return fields
}

func (b *builder) checkSizes(target string, body []byte) {
	if len(target) > maxURLBytes {
		b.problems = append(b.problems, fault.New(fault.TooLarge, "url",
			"The address is %d bytes long with these inputs; at most %d can be sent.", len(target), maxURLBytes).At(""))
	}
	if len(body) > maxRequestBytes {
		b.problems = append(b.problems, fault.New(fault.TooLarge, "request_body",
			"The body is %d bytes long with these inputs; at most %d can be sent.", len(body), maxRequestBytes).At(""))
	}
}

package release

import (
	"net/http"
	"regexp"
	"unicode/utf8"

	"pawl/connections/genisys"
	"pawl/internal/canon"
	"pawl/internal/fault"
)

// PagingKind says how one page leads to the next. A closed set.
type PagingKind string

// The kinds of paging.
const (
	ByCursor PagingKind = "cursor" // the answer holds what the next request sends
	ByPage   PagingKind = "page"   // the next request sends the number of the page
	ByOffset PagingKind = "offset" // the next request sends how many items came before
	ByLink   PagingKind = "link"   // the answer names the next address, in its body or in its Link header (RFC 8288)
)

// Paging says how the pages of a list are read. Pointers are JSON pointers (RFC 6901) into the body of an answer.
type Paging struct {
	By PagingKind
	// Items points to the list of a page; empty where the body itself is the list.
	Items string
	// Input is the id of the input that takes the cursor, the number of the page or the offset; empty for links.
	Input string
	// Next points to the cursor or to the next address; empty for a link where the Link header is meant, and where Last
	// is set.
	Next string
	// Last points into the last item of a page, to the cursor of the next; empty where Next is set.
	Last string
	// More points to a flag that is false on the last page; empty where there is none.
	More string
	// First is the number of the first page, 0 or 1.
	First int
	// Size is the id of the input that takes the size of a page, and PageSize what is sent; empty and 0 for none.
	Size     string
	PageSize int
}

// paging reads what is said of an action's pages; nil when it is absent.
func paging(p canon.Place) *Paging {
	if !p.Object("by", "items", "input", "next", "last", "more", "first", "size") {
		return nil
	}
	by, ok := p.Need("by").Choice(string(ByCursor), string(ByPage), string(ByOffset), string(ByLink))
	g := &Paging{By: PagingKind(by), Items: pointer(p.Need("items")), More: pointer(p.Member("more"))}
	if !ok {
		return g
	}
	g.input(p)
	g.next(p)
	g.first(p)
	if size := p.Member("size"); size.Object("input", "value") {
		g.Size, _ = size.Need("input").Text()
		g.PageSize = whole(size.Need("value"), 1, MaxPageSize)
	}
	return g
}

// input reads which input takes the cursor or the number.
func (g *Paging) input(p canon.Place) {
	if g.By == ByLink {
		g.refuse(p.Member("input"))
		return
	}
	g.Input, _ = p.Need("input").Text()
}

// next reads where the cursor or the address of the next page stands.
func (g *Paging) next(p canon.Place) {
	next, last := p.Member("next"), p.Member("last")
	g.Next, g.Last = pointer(next), pointer(last)
	switch {
	case g.By == ByPage || g.By == ByOffset:
		g.refuse(next)
		g.refuse(last)
	case g.By == ByLink:
		g.refuse(last)
	case next.Present() && last.Present():
		last.Refuse("paging", "The cursor stands in one place: keep \"next\", which points into the body, or \"last\", which points into the last item.")
	case !next.Present() && !last.Present():
		next.Refuse("missing_member", "\"next\" is missing here; add it, or \"last\", which points into the last item of a page.")
	}
}

// first reads the number of the first page.
func (g *Paging) first(p canon.Place) {
	first := p.Member("first")
	if g.By != ByPage {
		g.refuse(first)
		return
	}
	g.First = MaxFirstPage
	if first.Present() {
		g.First = whole(first, 0, MaxFirstPage)
	}
}

func (g *Paging) refuse(p canon.Place) {
	if p.Present() {
		p.Refuse("paging", "Paging by %s has no %q; leave it out.", g.By, p.Value().Name())
	}
}

var pointerText = regexp.MustCompile(`^(/([^~/]|~[01])*)*$`)

// pointer reads a JSON pointer (RFC 6901), empty when it is absent.
func pointer(p canon.Place) string {
	text, ok := p.Text()
	if ok && (!pointerText.MatchString(text) || utf8.RuneCountInString(text) > MaxPointerLength) {
		p.Refuse("pointer", "%s is no JSON pointer of at most %d characters: write one such as /data/items, or \"\" for the whole body.", canon.Quote(text), MaxPointerLength)
	}
	return text
}

// check holds the paging of an action against its declaration: it reads, and its inputs take what paging sends.
func (g *Paging) check(a *genisys.Action, risk Risk, at string) fault.List {
	if a.Method != http.MethodGet || risk != RiskRead {
		return fault.List{fault.New(fault.InvalidInput, "paging", "The action %q changes something; only a GET that only reads has pages.", a.ID).At(at)}
	}
	var problems fault.List
	if g.Input != "" {
		problems = append(problems, g.takes(a, g.Input, at+"/input")...)
	}
	if g.Size != "" {
		problems = append(problems, g.takes(a, g.Size, at+"/size/input")...)
	}
	if in := input(a, g.Input); g.By == ByCursor && in != nil && in.Required {
		problems = append(problems, fault.New(fault.InvalidInput, "paging", "The input %q is required, but the first page has no cursor yet; let it be optional.", in.ID).At(at+"/input"))
	}
	if g.Size != "" && g.Size == g.Input {
		problems = append(problems, fault.New(fault.InvalidInput, "paging", "The input %q can't take both the place and the size of a page.", g.Size).At(at+"/size/input"))
	}
	return problems
}

// takes says why an input can't take what paging sends.
func (g *Paging) takes(a *genisys.Action, id, at string) fault.List {
	in := input(a, id)
	switch {
	case in == nil:
		ids := make([]string, len(a.Inputs))
		for i := range a.Inputs {
			ids[i] = a.Inputs[i].ID
		}
		return fault.List{fault.New(fault.InvalidInput, "unknown_input", "The action %q has no input %s%s", a.ID, canon.Quote(id), canon.Suggest(id, ids)).At(at)}
	case in.In != genisys.InQuery:
		return fault.List{fault.New(fault.InvalidInput, "paging", "The input %q is in the %s; paging sends its values in the query.", id, in.In).At(at)}
	case in.Type == genisys.Boolean || in.JSON || in.List || in.Row:
		return fault.List{fault.New(fault.InvalidInput, "paging", "The input %q takes no plain text or number, which is what paging sends.", id).At(at)}
	}
	return nil
}

// input finds an input of an action by its id; nil when there is none.
func input(a *genisys.Action, id string) *genisys.Input {
	for i := range a.Inputs {
		if a.Inputs[i].ID == id {
			return &a.Inputs[i]
		}
	}
	return nil
}

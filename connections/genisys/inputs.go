package genisys

import (
	"regexp"
	"strings"

	"pawl/internal/canon"
)

// inputID allows what real APIs call their parameters: user-id, page.size, $filter, @type, filter[status][],
// ids:in. It has no character that a path template, a query or a step's expression gives a meaning.
var inputID = regexp.MustCompile(`^[A-Za-z_$@][A-Za-z0-9_$@.:\[\]-]{0,63}$`)

const inputWords = "a letter, _, $ or @ and then up to 63 letters, digits or the characters _ $ @ . : [ ] -"

// prototype is a name that JavaScript gives to every object; a form that stores values by name can't hold it.
const prototype = "__proto__"

func inputs(p canon.Place, a Action) []Input {
	ids, members := once{}, once{}
	return each(counted(p, 0, MaxInputs, "inputs"), func(p canon.Place) Input {
		in := input(p, a)
		if ids.see(p.Member("id"), in.ID, "inputs") && in.In == InBody {
			members.see(named(p), in.Wire(), "members of the body")
		}
		return in
	})
}

// named is the place that gives an input its name on the wire.
func named(p canon.Place) canon.Place {
	if name := p.Member("name"); name.Present() {
		return name
	}
	return p.Member("id")
}

func input(p canon.Place, a Action) Input {
	if !p.Object(inputShape().members...) {
		return Input{}
	}
	in := Input{
		ID:          matched(p.Need("id"), inputID, inputWords),
		Label:       line(p.Need("label"), 1, MaxLabelLength),
		Required:    p.Member("required").Bool(),
		Long:        p.Member("long").Bool(),
		JSON:        p.Member("json").Bool(),
		List:        p.Member("list").Bool(),
		Row:         p.Member("row").Bool(),
		Placeholder: line(p.Member("placeholder"), 0, MaxPlaceholderLength),
	}
	in.In = placement(p.Need("in"), a, in)
	kind, _ := p.Member("type").Choice(string(Number), string(Integer), string(Boolean))
	in.Type = Type(kind)
	in.Name = memberName(p.Member("name"), in)
	flags(p, in)
	return in
}

// placement reads where the input goes. A GET never carries a body.
func placement(p canon.Place, a Action, in Input) Placement {
	choice, _ := p.Choice(string(InPath), string(InQuery), string(InBody))
	if choice == string(InBody) && a.Method == get {
		p.Refuse("get_body", "The action %s is a GET, which has no body; place its input %s in the query or choose another method.",
			quote(a.ID), quote(in.ID))
	}
	return Placement(choice)
}

// memberName reads the name of the body's member where it differs from the id.
func memberName(p canon.Place, in Input) string {
	if !p.Present() {
		return ""
	}
	text := line(p, 1, MaxMemberLength)
	if in.In != "" && in.In != InBody {
		p.Refuse("name", "\"name\" is for inputs in the body only; the input %s is in the %s, where its id is its name.", quote(in.ID), in.In)
	}
	if text == prototype {
		p.Refuse("name", "%s can't be the name of a member.", quote(text))
	}
	return text
}

// flags refuses what contradicts itself.
func flags(p canon.Place, in Input) {
	if in.ID == prototype {
		p.Member("id").Refuse("name", "%s can't be the name of an input.", quote(in.ID))
	}
	set := in.forms()
	if len(set) > 1 {
		p.Member(set[1]).Refuse("flags", "The input %s is %s at once; keep one of them.", quote(in.ID), strings.Join(set, " and "))
	}
	if in.In == InPath && len(set) > 0 {
		p.Member(set[0]).Refuse("flags", "The input %s is in the path, which takes one plain value; leave %q out.", quote(in.ID), set[0])
	}
	if in.Type != Text && (in.JSON || in.Row) {
		p.Member("type").Refuse("flags", "The input %s is %s, which has no type; leave \"type\" out.", quote(in.ID), strings.Join(set, " and "))
	}
	if in.Type != Text && in.Long {
		p.Member("long").Refuse("flags", "The input %s is a %s, which is never long; leave \"long\" out.", quote(in.ID), in.Type)
	}
}

// forms names the flags of the value's form that are set; a valid input has at most one.
func (in Input) forms() []string {
	var set []string
	for _, f := range []struct {
		name string
		set  bool
	}{{"json", in.JSON}, {"list", in.List}, {"row", in.Row}} {
		if f.set {
			set = append(set, f.name)
		}
	}
	return set
}

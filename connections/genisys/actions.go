package genisys

import "pawl/internal/canon"

const get = "GET"

func actions(p canon.Place) []Action {
	ids := once{}
	return each(counted(p, 1, MaxActions, "actions"), func(p canon.Place) Action {
		a := action(p)
		ids.see(p.Member("id"), a.ID, "actions")
		return a
	})
}

func action(p canon.Place) Action {
	if !p.Object(actionShape().members...) {
		return Action{}
	}
	a := Action{
		ID:          matched(p.Need("id"), actionID, nameWords),
		Name:        line(p.Need("name"), 1, MaxActionNameLength),
		Description: prose(p.Member("description"), 0, MaxDescriptionLength),
	}
	a.Method, _ = p.Need("method").Choice(get, "POST", "PUT", "PATCH", "DELETE")
	a.Body = body(p.Member("body"), a)
	a.Risk = risk(p.Member("risk"), a)
	a.Inputs = inputs(p.Member("inputs"), a)
	a.Path = path(p.Need("path"), p.Member("inputs"), a.Inputs)
	return a
}

// body reads the encoding of the body; a GET has none to encode.
func body(p canon.Place, a Action) Body {
	choice, ok := p.Choice(string(JSONBody), string(FormBody))
	switch {
	case a.Method == get && p.Present():
		p.Refuse("get_body", "The action %s is a GET, which has no body; leave \"body\" out or choose another method.", quote(a.ID))
		return NoBody
	case a.Method == get:
		return NoBody
	case !ok:
		return JSONBody
	}
	return Body(choice)
}

// risk is act for whatever is not a GET, and for a GET that asks for it; nothing lowers it.
func risk(p canon.Place, a Action) Risk {
	choice, _ := p.Choice(string(Read), string(Act))
	if a.Method != "" && a.Method != get {
		if choice == string(Read) {
			p.Refuse("risk", "The action %s is a %s, which always needs permission; leave \"risk\" out.", quote(a.ID), a.Method)
		}
		return Act
	}
	if choice == string(Act) {
		return Act
	}
	return Read
}

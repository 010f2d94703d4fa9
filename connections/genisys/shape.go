package genisys

import "pawl/internal/canon"

// shape names the members of one kind of object of the format, in the order in which the seed shows them, and
// the kinds of the objects inside. Decoding refuses every other member; export writes them in this order.
type shape struct {
	members []string
	inside  map[string]shape // an object, or a list of objects
}

func fileShape() shape {
	return shape{[]string{"format", "manifest", "code"}, map[string]shape{"manifest": manifestShape()}}
}

func manifestShape() shape {
	return shape{
		[]string{"id", "name", "version", "description", "tools", "permissions", "skills", "app"},
		map[string]shape{"tools": toolShape(), "permissions": permissionsShape(), "skills": skillShape(), "app": appShape()},
	}
}

func toolShape() shape { return shape{members: []string{"name", "description", "input", "risk"}} }

func permissionsShape() shape { return shape{members: []string{"hosts"}} }

func skillShape() shape { return shape{members: []string{"name", "description", "instructions"}} }

func appShape() shape {
	return shape{
		[]string{"baseUrl", "auth", "logo", "secretLabel", "keyHelp", "docs", "actions"},
		map[string]shape{"actions": actionShape()},
	}
}

func actionShape() shape {
	return shape{
		[]string{"id", "name", "description", "method", "path", "body", "risk", "inputs"},
		map[string]shape{"inputs": inputShape()},
	}
}

func inputShape() shape {
	return shape{members: []string{
		"id", "label", "in", "required", "type", "long", "json", "list", "row", "name", "placeholder",
	}}
}

// order notes for every object of this shape the order of its members.
func (s shape) order(v *canon.Value, into map[*canon.Value][]string) {
	if v.Kind() == canon.List {
		for i := range v.Len() {
			s.order(v.At(i), into)
		}
		return
	}
	into[v] = s.members
	for name, inner := range s.inside {
		if m := v.Member(name); m != nil {
			inner.order(m, into)
		}
	}
}

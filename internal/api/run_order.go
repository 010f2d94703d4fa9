package api

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// order compares positions as the steps of a run object are listed: by first sight, those that were not reached behind all
// others and in document order.
func order(a, b *position) int {
	if a.reached() != b.reached() {
		if a.reached() {
			return -1
		}
		return 1
	}
	return cmp.Or(a.first.Compare(b.first), cmp.Compare(a.place, b.place), cmp.Compare(a.path, b.path))
}

// byChange compares positions as an event stream sends them: by their last change.
func byChange(a, b *position) int {
	return cmp.Or(a.changed.Compare(b.changed), cmp.Compare(a.place, b.place), cmp.Compare(a.path, b.path))
}

// choice keeps the first positions of those it is shown, in an order and behind a position.
type choice struct {
	order func(a, b *position) int
	after *position // nil for all
	most  int
	list  []*position
}

func (c *choice) take(p *position) {
	if c.after != nil && c.order(p, c.after) <= 0 {
		return
	}
	c.list = append(c.list, p)
	if len(c.list) >= 2*c.most {
		c.cut()
	}
}

// cut drops what is behind the first ones, and gives these in order.
func (c *choice) cut() []*position {
	slices.SortFunc(c.list, c.order)
	c.list = c.list[:min(len(c.list), c.most)]
	return c.list
}

// notReached stands in a cursor for the first sight of a step that was not reached.
const notReached = "-"

// stepsCursor is the cursor of the steps behind a position.
func stepsCursor(p *position) string {
	seen := notReached
	if p.reached() {
		seen = p.first.UTC().Format(time.RFC3339Nano)
	}
	return cursorOf(seen, strconv.Itoa(p.place), p.path)
}

// stepsAfter reads what stepsCursor wrote; nil for the first page.
func stepsAfter(cursor string) (*position, error) {
	text, err := Paging{Cursor: cursor}.text()
	if err != nil || text == "" {
		return nil, err
	}
	parts := strings.Split(text, "\x1f")
	if len(parts) != 3 {
		return nil, badCursor()
	}
	p := &position{path: parts[2]}
	if p.place, err = strconv.Atoi(parts[1]); err != nil {
		return nil, badCursor()
	}
	if parts[0] == notReached {
		return p, nil
	}
	if p.first, err = time.Parse(time.RFC3339Nano, parts[0]); err != nil {
		return nil, badCursor()
	}
	return p, nil
}

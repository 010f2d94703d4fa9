package api

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/fault"
)

// Paging are the parameters of a list.
type Paging struct {
	Cursor string `query:"cursor" maxLength:"500" doc:"The member next of the page before; absent for the first page"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many items at most"`
}

// List is a page of items. Next is the cursor of the page behind it, absent on the last one.
type List[T any] struct {
	Items []T    `json:"items" nullable:"false"`
	Next  string `json:"next,omitempty" doc:"The cursor of the next page; absent when this is the last"`
}

func newList[T any](items []T, next string) *struct{ Body List[T] } {
	if items == nil {
		items = []T{}
	}
	return &struct{ Body List[T] }{List[T]{items, next}}
}

// cut takes one item more than was asked for off a list and says by whose key the next page goes on.
func cut[T any](items []T, limit int, key func(T) string) ([]T, string) {
	if len(items) <= limit {
		return items, ""
	}
	items = items[:limit]
	return items, cursorOf(key(items[limit-1]))
}

func cursorOf(parts ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "\x1f")))
}

func badCursor() error {
	return fault.New(fault.InvalidInput, "cursor", "This cursor is not one that this list gave. Start again without it.")
}

// text is the cursor's text, empty for the first page.
func (p Paging) text() (string, error) {
	b, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err != nil {
		return "", badCursor()
	}
	return string(b), nil
}

func (p Paging) id() (uuid.UUID, error) {
	text, err := p.text()
	if err != nil || text == "" {
		return uuid.Nil, err
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, badCursor()
	}
	return id, nil
}

func (p Paging) number() (int64, error) {
	text, err := p.text()
	if err != nil || text == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, badCursor()
	}
	return n, nil
}

// accountsAfter reads the cursor of a list of accounts, nil for the first page.
func accountsAfter(p Paging, project uuid.UUID) (*connections.AccountKey, error) {
	text, err := p.text()
	if err != nil || text == "" {
		return nil, err
	}
	identity, name, ok := strings.Cut(text, "\x1f")
	if !ok {
		return nil, badCursor()
	}
	return &connections.AccountKey{Project: project, Identity: connections.ConnectionIdentity(identity), Name: name}, nil
}

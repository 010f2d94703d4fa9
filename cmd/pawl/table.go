package main

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// pageFlags choose a page of a list.
type pageFlags struct {
	Limit  int    `default:"50" help:"How many items at most."`
	Cursor string `help:"Where the page before ended, as it said."`
}

func (p pageFlags) query() url.Values {
	q := url.Values{"limit": {strconv.Itoa(p.Limit)}}
	if p.Cursor != "" {
		q.Set("cursor", p.Cursor)
	}
	return q
}

// list is a page of items.
type list[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next"`
}

// listing gets a page and prints it as a table.
func listing[T any](s *session, path string, query url.Values, head string, row func(T) []any) error {
	var page list[T]
	a, err := s.get(path, query, &page)
	if err != nil {
		return err
	}
	s.show(a, func() {
		rows := make([][]any, 0, len(page.Items))
		for _, it := range page.Items {
			rows = append(rows, row(it))
		}
		s.table(head, rows)
		if page.Next != "" {
			s.say("There is more: --cursor %s", page.Next)
		}
	})
	return nil
}

// table prints rows under a head; the columns of the head are separated by a vertical bar.
func (s *session) table(head string, rows [][]any) {
	if len(rows) == 0 {
		s.say("None.")
		return
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(strings.ToUpper(head), "|", "\t"))
	for _, r := range rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = cell(c)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	w.Flush()
}

// cell is a value as text on one line, without what could steer a terminal.
func cell(v any) string {
	text := ""
	switch t := v.(type) {
	case time.Time:
		text = t.Local().Format("2006-01-02 15:04:05")
	case *time.Time:
		if t != nil {
			return cell(*t)
		}
	case *int:
		if t != nil {
			text = strconv.Itoa(*t)
		}
	default:
		text = fmt.Sprint(v)
	}
	text = clean(text)
	if text == "" {
		return "-"
	}
	return text
}

// clean replaces control characters, which names and messages of others may hold.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)
}

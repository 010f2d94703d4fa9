package client

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Event is one server-sent event (WHATWG HTML, section 9.2).
type Event struct {
	Name string
	ID   string
	Data []byte
}

// maxEvent bounds one line of an event stream in bytes; a whole run object is one line.
const maxEvent = maxAnswer

// Follow reads an event stream and calls each for every event until it says stop, the stream ends or ctx does. It
// gives the id of the last event, for the next Follow.
func (c *Client) Follow(ctx context.Context, path, last string, each func(Event) (stop bool, err error)) (string, error) {
	r := Request{Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {"text/event-stream"}}}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := c.send(ctx, r)
	if err != nil {
		return last, err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		if err != nil {
			return last, &Unreachable{c.Base, err}
		}
		return last, problemOf(res, body)
	}
	return readEvents(res.Body, last, each)
}

func readEvents(body io.Reader, last string, each func(Event) (bool, error)) (string, error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
	e := Event{}
	for lines.Scan() {
		line := lines.Text()
		if line == "" {
			if e.ID != "" {
				last = e.ID
			}
			if len(e.Data) > 0 {
				if stop, err := each(e); stop || err != nil {
					return last, err
				}
			}
			e = Event{}
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			e.Name = value
		case "id":
			e.ID = value
		case "data":
			e.Data = append(e.Data, value...)
		}
	}
	if err := lines.Err(); err != nil {
		return last, fmt.Errorf("read the event stream: %w", err)
	}
	return last, nil
}

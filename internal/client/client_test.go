package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pawl/internal/client"
	"pawl/internal/fault"
)

func serve(t *testing.T, h http.HandlerFunc) *client.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return &client.Client{Base: s.URL + "/", Key: "k", HTTP: s.Client()}
}

func TestProblemsReadAsSentencesWithTheirPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       string
	}{
		{name: "one", body: `{"status":404,"kind":"not_found","reason":"run","detail":"There is no run."}`, want: "There is no run. (not_found, run)"},
		{name: "place", body: `{"kind":"invalid_input","detail":"Wrong.","where":{"step":"a","pointer":"/steps/0"}}`, want: "step a, /steps/0: Wrong. (invalid_input)"},
		{name: "several", body: `{"kind":"invalid_input","detail":"2 problems","errors":[{"kind":"invalid_input","message":"A.","where":{"pointer":"/a"}},{"kind":"limit","message":"B."}]}`, want: "/a: A. (invalid_input)\nB. (limit)"},
		{name: "expression", body: `{"kind":"expression","detail":"Missing.","where":{"expression":" x.y "}}`, want: "{{ x.y }}: Missing. (expression)"},
		{name: "something else", body: `<html>`, want: "PAWL_URL"},
	}
	for _, tt := range tests {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, tt.body)
		})
		_, err := c.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/x"})
		var p *client.Problem
		if !errors.As(err, &p) || !strings.Contains(p.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestAServerThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	c := &client.Client{Base: "http://127.0.0.1:1", HTTP: &http.Client{}}
	_, err := c.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/x"})
	var gone *client.Unreachable
	if !errors.As(err, &gone) || !strings.Contains(err.Error(), "http://127.0.0.1:1") {
		t.Errorf("got %v", err)
	}
}

func TestFollowReadsEvents(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "0" || r.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("headers: %v", r.Header)
		}
		fmt.Fprint(w, ": beat\n\nid: 1\nevent: run\ndata: {\"a\":1}\n\nevent: step\ndata:{\"b\":2}\n\nevent: run\nid: 2\ndata: {}\n\nevent: cut\ndata: {")
	})
	var got []string
	last, err := c.Follow(t.Context(), "/events", "0", func(e client.Event) (bool, error) {
		got = append(got, e.Name+string(e.Data))
		return false, nil
	})
	if err != nil || last != "2" || strings.Join(got, " ") != `run{"a":1} step{"b":2} run{}` {
		t.Errorf("got %v, last %q, %v", got, last, err)
	}
}

func TestFollowTellsAProblem(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"not_found","detail":"No."}`)
	})
	_, err := c.Follow(t.Context(), "/events", "", func(client.Event) (bool, error) { return false, nil })
	var p *client.Problem
	if !errors.As(err, &p) || p.Kind != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"pawl/internal/client"
	"pawl/internal/fault"
)

// environment is what a process has around it.
type environment struct {
	in     io.Reader
	out    io.Writer
	err    io.Writer
	getenv func(string) string
}

// session is one command at work.
type session struct {
	environment
	ctx     context.Context
	client  *client.Client
	project string
	json    bool
	yes     bool
}

func newSession(ctx context.Context, c *commands, e environment) *session {
	return &session{
		environment: e, ctx: ctx, project: c.Project, json: c.JSON, yes: c.Yes,
		client: &client.Client{Base: c.URL, Key: strings.TrimSpace(c.Key), HTTP: &http.Client{}},
	}
}

// usageError is a mistake on the command line that only the command itself can see.
type usageError struct{ text string }

// Error gives the sentence.
func (u usageError) Error() string { return u.text }

// failed is a command that did its work and reports a failure, already printed.
type failed struct{}

// Error says nothing new.
func (failed) Error() string { return "failed" }

// end gives the exit code: the one so far, unless it is good and err is not nil. err is printed.
func (s *session) end(code int, err error) int {
	if err == nil {
		return code
	}
	if c := s.fail(err); code == exitDone {
		return c
	}
	return code
}

// fail prints what went wrong and gives the exit code.
func (s *session) fail(err error) int {
	var usage usageError
	var quiet failed
	var problem *client.Problem
	switch {
	case errors.As(err, &quiet):
		return exitRefused
	case errors.As(err, &usage):
		fmt.Fprintln(s.err, "pawl:", err)
		return exitUsage
	case errors.As(err, &problem) && s.json:
		s.raw(s.err, problem.Raw)
	case s.json:
		s.raw(s.err, localProblem(err))
	default:
		fmt.Fprintln(s.err, "pawl:", sentence(err))
	}
	return exitRefused
}

// sentence is the text of an error for people: that of a fault without its private cause.
func sentence(err error) string {
	var file *fileProblems
	var list fault.List
	var one *fault.Error
	switch {
	case errors.As(err, &file):
		return file.Error()
	case errors.As(err, &list):
		lines := make([]string, 0, len(list))
		for _, e := range list {
			lines = append(lines, item(e).String())
		}
		return strings.Join(lines, "\n")
	case errors.As(err, &one):
		return item(one).String()
	}
	return err.Error()
}

func item(e *fault.Error) client.Item {
	return client.Item{Kind: e.Kind, Reason: e.Reason, Message: e.Message, Where: e.Where}
}

// inProject is a path in the project.
func (s *session) inProject(format string, parts ...any) string {
	return "/api/v1/projects/" + client.Segment(s.project) + path(format, parts...)
}

// path builds a path; each part is one segment, whatever it holds.
func path(format string, parts ...any) string {
	for i, p := range parts {
		parts[i] = client.Segment(fmt.Sprint(p))
	}
	return fmt.Sprintf(format, parts...)
}

func (s *session) get(path string, query url.Values, into any) (*client.Answer, error) {
	return s.call(client.Request{Method: http.MethodGet, Path: path, Query: query}, into)
}

func (s *session) post(path string, body, into any) (*client.Answer, error) {
	return s.call(client.Request{Method: http.MethodPost, Path: path, Body: body}, into)
}

// call makes a call and reads the answer into a value, nil for none.
func (s *session) call(r client.Request, into any) (*client.Answer, error) {
	if s.client.Key == "" {
		return nil, errors.New("PAWL_KEY is not set: give an API key, for instance the one that pawl-local wrote to DIR/admin.key: export PAWL_KEY=\"$(cat DIR/admin.key)\"")
	}
	a, err := s.client.Do(s.ctx, r)
	if err != nil || into == nil || len(a.Body) == 0 {
		return a, err
	}
	if err := json.Unmarshal(a.Body, into); err != nil {
		return a, fmt.Errorf("%s answered with something else than this command expects: %w", s.client.Base, err)
	}
	return a, nil
}

// raw prints JSON as it came, indented; numbers keep their text.
func (s *session) raw(w io.Writer, b []byte) {
	var out bytes.Buffer
	if json.Indent(&out, b, "", "  ") != nil {
		out.Reset()
		out.Write(b)
	}
	fmt.Fprintln(w, strings.TrimSpace(out.String()))
}

// show prints an answer: as it came with --json, else by what people wants.
func (s *session) show(a *client.Answer, people func()) {
	if s.json {
		if len(a.Body) == 0 {
			a.Body = []byte("{}")
		}
		s.raw(s.out, a.Body)
		return
	}
	people()
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// data prints bytes as they came.
func (s *session) data(b []byte) { _, _ = s.out.Write(b) } // the output remembers a failure

// readFile reads a file, or standard input for "-".
func (s *session) readFile(name string) ([]byte, error) {
	if name == "-" {
		return s.readInput()
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	defer f.Close()
	return readBounded(f, name)
}

// maxInput bounds what is read from a file or from standard input, in bytes.
const maxInput = 32 << 20

func (s *session) readInput() ([]byte, error) { return readBounded(s.in, "standard input") }

func readBounded(from io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(from, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(b) > maxInput {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxInput)
	}
	return b, nil
}

// argument reads JSON from the command line: the text itself, @file, or - for standard input.
func (s *session) argument(text string) (json.RawMessage, error) {
	var b []byte
	var err error
	switch {
	case text == "-":
		b, err = s.readInput()
	case strings.HasPrefix(text, "@"):
		b, err = s.readFile(text[1:])
	default:
		b = []byte(text)
	}
	return b, err
}

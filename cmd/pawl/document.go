package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"pawl/internal/automation"
	"pawl/internal/client"
	"pawl/internal/fault"
)

// checkDocument reads a document before it is sent, so that a problem of its text names the file.
func checkDocument(file string, b []byte) error {
	_, problems := automation.Decode(b)
	if len(problems) == 0 {
		return nil
	}
	return &fileProblems{file, problems}
}

// fileProblems are the problems of a file.
type fileProblems struct {
	file string
	list fault.List
}

// Error lists the problems, each with the file in front.
func (f *fileProblems) Error() string {
	text := ""
	for i, e := range f.list {
		if i > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("%s: %s", f.file, clean(item(e).String()))
	}
	return text
}

// Unwrap gives the problems.
func (f *fileProblems) Unwrap() error { return f.list }

// localProblem gives an error that did not come from the server the form of one that did.
func localProblem(err error) json.RawMessage {
	var list fault.List
	var one *fault.Error
	var gone *client.Unreachable
	p := client.Problem{Kind: fault.InvalidInput, Reason: "command", Title: "Not done", Detail: err.Error()}
	switch {
	case errors.As(err, &list) && len(list) > 0:
		p.Kind, p.Reason = list[0].Kind, list[0].Reason
		for _, e := range list {
			p.Errors = append(p.Errors, item(e))
		}
	case errors.As(err, &one):
		p.Kind, p.Reason, p.Detail, p.Where = one.Kind, one.Reason, one.Message, one.Where
	case errors.As(err, &gone):
		p.Kind, p.Reason = fault.Network, "server"
	}
	b, err := json.Marshal(p)
	if err != nil { // texts and numbers always marshal
		return nil
	}
	return b
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"pawl/internal/api"
)

type automationApply struct {
	File string `arg:"" optional:"" help:"A pawl-automation@1 file, - for standard input."`
	Dir  string `short:"f" help:"A folder: all its *.json files are applied together."`
	Name string `help:"The handle for FILE; made from the file's name without."`
}

// Run shows the plan, then applies all documents in one transaction.
func (c *automationApply) Run(s *session) error {
	items, err := c.items(s)
	if err != nil {
		return err
	}
	url := s.inProject("/automations/apply")
	var plan api.Applied
	if _, err := s.post(url, api.Apply{Items: items, Plan: true}, &plan); err != nil {
		return err
	}
	for i := range items {
		items[i].Rev = plan.Items[i].Rev
	}
	if !s.json {
		s.plan(plan.Items)
	}
	var done api.Applied
	a, err := s.post(url, api.Apply{Items: items}, &done)
	if err != nil {
		return err
	}
	s.show(a, func() {
		for _, it := range done.Items {
			s.say("%s: draft revision %d", it.Name, it.Rev)
			s.problems(it.Name, it.Problems, it.Warnings)
		}
	})
	return nil
}

func (s *session) plan(items []api.AppliedItem) {
	for _, it := range items {
		s.say("%s %s", it.Change, it.Name)
		if it.Change == "update" {
			s.differences(it.Differences)
		}
	}
}

func (c *automationApply) items(s *session) ([]api.ApplyItem, error) {
	switch {
	case (c.File == "") == (c.Dir == ""):
		return nil, usageError{"give either a FILE or a folder with -f"}
	case c.File != "":
		it, err := readItem(s, c.File, c.Name)
		return []api.ApplyItem{it}, err
	case c.Name != "":
		return nil, usageError{"--name goes with one FILE; in a folder each file's name is the handle"}
	}
	return readFolder(s, c.Dir)
}

func readFolder(s *session, dir string) ([]api.ApplyItem, error) {
	names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.json"))
	if err != nil {
		return nil, fmt.Errorf("look into %s: %w", dir, err)
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("look into the folder: %w", err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no *.json file in %s", dir)
	}
	sort.Strings(names)
	items := make([]api.ApplyItem, 0, len(names))
	for _, n := range names {
		it, err := readItem(s, n, "")
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

func readItem(s *session, file, name string) (api.ApplyItem, error) {
	b, err := s.readFile(file)
	if err != nil {
		return api.ApplyItem{}, err
	}
	if name == "" {
		name = handle(file)
	}
	if name == "" {
		return api.ApplyItem{}, usageError{"--name says the handle of the automation; " + file + " gives none"}
	}
	if err := checkDocument(file, b); err != nil {
		return api.ApplyItem{}, err
	}
	return api.ApplyItem{Name: name, Document: json.RawMessage(b)}, nil
}

var notInHandle = regexp.MustCompile(`[^a-z0-9]+`)

// handle makes a handle from a file's name: order-to-ticket of "Order to ticket.automation.json".
func handle(file string) string {
	base := filepath.Base(file)
	for _, end := range []string{".json", ".pawl-automation", ".automation"} {
		base = strings.TrimSuffix(base, end)
	}
	return strings.Trim(notInHandle.ReplaceAllString(strings.ToLower(base), "-"), "-")
}

package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/api"
	"pawl/internal/client"
)

type pluginPush struct {
	File     string `arg:"" help:"A genisys-plugin@1 file or a genisys-plugin-bundle@1 file, - for standard input."`
	Settings string `help:"The pawl-release@1 file of a plugin; without, the one beside FILE, if there is one."`
}

// Run pushes the file on top of the drafts that are there now.
func (c *pluginPush) Run(s *session) error {
	b, err := s.readFile(c.File)
	switch {
	case err != nil:
		return err
	case formatOf(c.File, b) != release.BundleFormat:
		return c.one(s, b)
	case c.Settings != "":
		return usageError{"--settings goes with the file of one plugin; a bundle holds the settings of its plugins"}
	}
	return s.pushBundle(c.File, b)
}

func (c *pluginPush) one(s *session, b []byte) error {
	p, problems := genisys.Decode(b)
	if len(problems) > 0 {
		return &fileProblems{c.File, problems}
	}
	name, settings, err := c.settings(s, p)
	if err != nil {
		return err
	}
	header, err := s.onTop(path("/api/v1/plugins/%s", p.Manifest.ID))
	if err != nil {
		return err
	}
	draft := client.Request{Method: http.MethodPut, Path: path("/api/v1/plugins/%s/draft", p.Manifest.ID), Header: header, Body: json.RawMessage(b)}
	if name == "" {
		return s.move(draft)
	}
	return s.pushBoth(draft, path("/api/v1/plugins/%s/settings", p.Manifest.ID), name, settings)
}

// settings gives the settings that go with the file, after a look at them; name is empty where there are none.
func (c *pluginPush) settings(s *session, p *genisys.Plugin) (name string, b []byte, err error) {
	if c.Settings != "" {
		name = c.Settings
		b, err = s.readFile(name)
	} else {
		name, b, err = s.readSettingsBeside(c.File)
	}
	if err != nil || name == "" {
		return "", nil, err
	}
	if _, problems := release.ReadSettings(b, &p.Manifest); len(problems) > 0 {
		return "", nil, &fileProblems{name, problems}
	}
	return name, b, nil
}

// pushBoth saves a draft and then its settings, and says what both did.
func (s *session) pushBoth(draft client.Request, address, name string, settings []byte) error {
	var first, second api.Moved
	a, err := s.call(draft, &first)
	if err != nil {
		return err
	}
	header := http.Header{"If-Match": {a.Header.Get("ETag")}}
	a, err = s.call(client.Request{Method: http.MethodPut, Path: address, Header: header, Body: json.RawMessage(settings)}, &second)
	if err != nil {
		return err
	}
	second.Changed = second.Changed || first.Changed
	if a.Body, err = json.Marshal(second); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	s.show(a, func() {
		s.moved(&second)
		s.say("with the settings of %s", name)
	})
	return nil
}

// pushBundle shows the plan, then makes all plugins of a bundle drafts in one transaction.
func (s *session) pushBundle(name string, b []byte) error {
	if _, problems := release.DecodeBundle(b); len(problems) > 0 {
		return &fileProblems{name, problems}
	}
	const address = "/api/v1/plugin-bundle"
	var plan, done api.BundleImported
	if _, err := s.post(address, api.BundleImport{Bundle: json.RawMessage(b), Plan: true}, &plan); err != nil {
		return err
	}
	revs := make(map[string]int64, len(plan.Items))
	for _, i := range plan.Items {
		revs[i.ID] = i.Rev
		if !s.json {
			s.say("%s %s %s", i.Change, i.ID, i.Version)
		}
	}
	a, err := s.post(address, api.BundleImport{Bundle: json.RawMessage(b), Revs: revs}, &done)
	if err != nil {
		return err
	}
	s.show(a, func() {
		for _, i := range done.Items {
			s.say("%s: draft %s, revision %d, sha256 %s", i.ID, i.Version, i.Rev, i.Digest)
		}
	})
	return nil
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"

	"pawl/connections/release"
	"pawl/internal/client"
	"pawl/internal/fault"
)

type pluginExport struct {
	IDs      []string `arg:"" name:"id" help:"The plugin's id; several with --bundle."`
	Version  string   `help:"draft, preview, production, or a frozen version; the most released one without."`
	Output   string   `short:"o" help:"The file to write, with the release settings beside it; standard output without."`
	Settings bool     `help:"The release settings instead of the plugin file." xor:"what"`
	Bundle   bool     `help:"One file with all the plugins and their settings." xor:"what"`
}

// Run exports.
func (c *pluginExport) Run(s *session) error {
	switch {
	case c.Bundle:
		return c.write(s, "/api/v1/plugin-bundle", url.Values{"id": c.IDs})
	case len(c.IDs) > 1:
		return usageError{"several plugins go into one file with --bundle"}
	case c.Settings:
		return c.write(s, path("/api/v1/plugins/%s/settings", c.IDs[0]), url.Values{})
	case c.Output == "":
		return c.write(s, path("/api/v1/plugins/%s/export", c.IDs[0]), url.Values{})
	}
	return c.both(s)
}

// write gets one file and writes it.
func (c *pluginExport) write(s *session, address string, q url.Values) error {
	b, err := c.get(s, address, q)
	if err != nil {
		return err
	}
	if c.Output == "" {
		s.data(b)
		return nil
	}
	return save(c.Output, b)
}

func (c *pluginExport) get(s *session, address string, q url.Values) ([]byte, error) {
	if c.Version != "" {
		q.Set("version", c.Version)
	}
	a, err := s.get(address, q, nil)
	if err != nil {
		return nil, err
	}
	return a.Body, nil
}

// both writes the plugin file, and its settings beside it. Where there are none, a file that stands there already would
// be taken for them later, so it is refused before anything is written.
func (c *pluginExport) both(s *session) error {
	file, err := c.get(s, path("/api/v1/plugins/%s/export", c.IDs[0]), url.Values{})
	if err != nil {
		return err
	}
	beside := settingsBeside(c.Output)
	settings, err := c.get(s, path("/api/v1/plugins/%s/settings", c.IDs[0]), url.Values{})
	var p *client.Problem
	if errors.As(err, &p) && p.Kind == fault.NotFound {
		if _, err := os.Stat(beside); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has no release settings, but %s is there and would pass for them: remove it, or choose another name", c.IDs[0], beside)
		}
		return save(c.Output, file)
	}
	if err != nil {
		return err
	}
	if err := save(beside, settings); err != nil {
		return err
	}
	return save(c.Output, file)
}

func save(name string, b []byte) error {
	if err := os.WriteFile(name, b, 0o644); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	return nil
}

type pluginSettings struct {
	pluginID
	File    string `arg:"" optional:"" help:"A pawl-release@1 file, - for standard input; without, the settings are shown."`
	Remove  bool   `help:"Take the settings of the draft away."`
	Version string `default:"draft" help:"Whose settings are shown: draft, preview, production, or a frozen version."`
}

// Run shows, sets or takes away. A write builds on the draft that is there now.
func (c *pluginSettings) Run(s *session) error {
	address := path("/api/v1/plugins/%s/settings", c.ID)
	if c.File != "" && c.Remove {
		return usageError{"give either a FILE or --remove"}
	}
	if c.File == "" && !c.Remove {
		a, err := s.get(address, url.Values{"version": {c.Version}}, nil)
		if err != nil {
			return err
		}
		s.data(a.Body)
		return nil
	}
	request := client.Request{Method: http.MethodDelete, Path: address}
	if c.File != "" {
		b, err := s.readFile(c.File)
		if err != nil {
			return err
		}
		if _, problems := release.ReadSettings(b, nil); len(problems) > 0 {
			return &fileProblems{c.File, problems}
		}
		request.Method, request.Body = http.MethodPut, json.RawMessage(b)
	}
	var err error
	if request.Header, err = s.onTop(path("/api/v1/plugins/%s", c.ID)); err != nil {
		return err
	}
	return s.move(request)
}

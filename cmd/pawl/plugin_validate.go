package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/client"
	"pawl/internal/fault"
)

type pluginValidate struct {
	Files   []string `arg:"" name:"file" help:"Files of plugins, bundles and release settings, - for standard input. The settings beside a plugin file are looked at too."`
	modules *modules
}

// verdict is what validating a file gives with --json.
type verdict struct {
	File     string         `json:"file"`
	Format   string         `json:"format,omitempty"`
	Valid    bool           `json:"valid"`
	Plugins  []pluginOfFile `json:"plugins,omitempty"`
	Problems []client.Item  `json:"problems"`
}

// pluginOfFile is a plugin that a valid file holds. The digest is that of a release of it, settings included.
type pluginOfFile struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Digest  string `json:"digest"`
}

func newVerdict(file, format string, problems fault.List) verdict {
	v := verdict{File: file, Format: format, Valid: len(problems) == 0, Problems: []client.Item{}}
	for _, p := range problems {
		v.Problems = append(v.Problems, item(p))
	}
	return v
}

// add adds a problem, nil for none.
func (v *verdict) add(f *fault.Error) {
	if f != nil {
		v.Valid, v.Problems = false, append(v.Problems, item(f))
	}
}

func (v *verdict) hold(b release.Bundled) {
	m := &b.Plugin.Manifest
	v.Plugins = append(v.Plugins, pluginOfFile{m.ID, m.Version.String(), hex.EncodeToString(b.Digest())})
}

// Run validates the files.
func (c *pluginValidate) Run(s *session) error {
	if n := len(slices.DeleteFunc(slices.Clone(c.Files), func(f string) bool { return f != "-" })); n > 1 {
		return usageError{"standard input can be read once only"}
	}
	c.modules = &modules{}
	defer c.modules.close()
	verdicts := make([]verdict, 0, len(c.Files))
	for _, name := range c.Files {
		verdicts = append(verdicts, c.file(s, name)...)
	}
	if s.json {
		b, err := json.Marshal(verdicts)
		if err != nil {
			return fmt.Errorf("write the verdicts: %w", err)
		}
		s.raw(s.out, b)
	} else {
		s.verdicts(verdicts)
	}
	if slices.ContainsFunc(verdicts, func(v verdict) bool { return !v.Valid }) {
		return failed{}
	}
	return nil
}

// file validates one file and, where it is a plugin, the settings beside it.
func (c *pluginValidate) file(s *session, name string) []verdict {
	b, err := s.readFile(name)
	if err != nil {
		return []verdict{unreadable(name, err)}
	}
	switch format := formatOf(name, b); format {
	case release.SettingsFormat:
		return []verdict{s.settingsVerdict(name, b)}
	case release.BundleFormat:
		bundle, problems := release.DecodeBundle(b)
		v := newVerdict(name, format, problems)
		for i, one := range bundle {
			v.hold(one)
			v.add(c.modules.check(s.ctx, one.Plugin, "/plugins/"+strconv.Itoa(i)+"/plugin"))
		}
		return []verdict{v}
	default:
		return c.plugin(s, name, b)
	}
}

func unreadable(name string, err error) verdict {
	return newVerdict(name, "", fault.List{fault.New(fault.NotFound, "file", "This file can't be read: %v.", err)})
}

func (c *pluginValidate) plugin(s *session, name string, b []byte) []verdict {
	p, problems := genisys.Decode(b)
	verdicts := []verdict{newVerdict(name, genisys.Format, problems)}
	verdicts[0].add(c.modules.check(s.ctx, p, ""))
	beside, text, err := s.readSettingsBeside(name)
	var settings *release.Settings
	if beside != "" {
		settings, problems = release.ReadSettings(text, manifestOf(p))
		v := newVerdict(beside, release.SettingsFormat, problems)
		if err != nil {
			v = unreadable(beside, err)
		}
		if !slices.Contains(c.Files, beside) {
			verdicts = append(verdicts, v)
		}
	}
	if p != nil && verdicts[0].Valid && (beside == "" || settings != nil) {
		verdicts[0].hold(release.Bundled{Plugin: p, Settings: settings})
	}
	return verdicts
}

func manifestOf(p *genisys.Plugin) *genisys.Manifest {
	if p == nil {
		return nil
	}
	return &p.Manifest
}

// settingsVerdict validates release settings, against the plugin file beside them where there is a valid one.
func (s *session) settingsVerdict(name string, b []byte) verdict {
	var m *genisys.Manifest
	if beside := pluginBeside(name); beside != "" {
		if text, err := s.readFile(beside); err == nil {
			p, _ := genisys.Decode(text) // its problems are those of another file
			m = manifestOf(p)
		}
	}
	_, problems := release.ReadSettings(b, m)
	return newVerdict(name, release.SettingsFormat, problems)
}

func (s *session) verdicts(list []verdict) {
	for _, v := range list {
		if v.Valid {
			s.say("%s: valid%s", v.File, v.contents())
		}
		for _, p := range v.Problems {
			s.say("%s: %s", v.File, clean(p.String()))
		}
	}
}

// contents says what a valid file holds.
func (v *verdict) contents() string {
	var all []string
	for _, p := range v.Plugins {
		all = append(all, fmt.Sprintf("%s %s, sha256 %s", p.ID, p.Version, p.Digest))
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

package main

import (
	"errors"
	"io/fs"
	"strings"

	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/canon"
)

// The ends of the names of files, by custom.
const (
	pluginEnd   = ".genisys-plugin.json"
	settingsEnd = ".pawl-release.json"
	bundleEnd   = ".genisys-plugin-bundle.json"
)

// formatOf says which format a file is meant to be in: the one that it names, else what its name says; a plugin where
// neither says anything.
func formatOf(name string, b []byte) string {
	if v, problems := canon.Parse(b, canon.Limits{}); len(problems) == 0 {
		if format := v.Member("format"); format.Kind() == canon.Text {
			return format.Text()
		}
	}
	switch {
	case strings.HasSuffix(name, bundleEnd):
		return release.BundleFormat
	case strings.HasSuffix(name, settingsEnd):
		return release.SettingsFormat
	default:
		return genisys.Format
	}
}

// settingsBeside names the file of release settings that belongs to a plugin file by its name.
func settingsBeside(plugin string) string {
	name, ok := strings.CutSuffix(plugin, pluginEnd)
	if !ok {
		name = strings.TrimSuffix(plugin, ".json")
	}
	return name + settingsEnd
}

// pluginBeside names the plugin file to which a file of release settings belongs by its name; empty for none.
func pluginBeside(settings string) string {
	if name, ok := strings.CutSuffix(settings, settingsEnd); ok {
		return name + pluginEnd
	}
	return ""
}

// readSettingsBeside reads the release settings beside a plugin file, nil where there are none.
func (s *session) readSettingsBeside(plugin string) (name string, b []byte, err error) {
	if plugin == "-" {
		return "", nil, nil
	}
	name = settingsBeside(plugin)
	b, err = s.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	return name, b, err
}

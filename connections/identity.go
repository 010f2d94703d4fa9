// Package connections holds what a step names: connection and action identities, and the resolution of an
// identity to the release, account and grant that a call of it needs.
package connections

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"pawl/internal/fault"
)

// Source is where actions come from. A closed set.
type Source string

// The sources.
const (
	SourceDeveloper Source = "developer" // a plugin's app
	SourcePlugin    Source = "plugin"    // a plugin's sandbox tools
	SourceOpenAPI   Source = "openapi"
	SourceMCP       Source = "mcp"
	SourcePackage   Source = "package"
	SourceBuiltin   Source = "builtin"
	SourceCore      Source = "core"
)

// Version is a semantic version of three numbers, as genisys-plugin@1 has it: no pre-release, no build.
type Version struct{ Major, Minor, Patch uint32 }

var versionText = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$`)

// ParseVersion reads "x.y.z" as Semantic Versioning 2.0.0 has it, without leading zeros; each number has at
// most nine digits.
func ParseVersion(s string) (Version, error) {
	m := versionText.FindStringSubmatch(s)
	if m == nil {
		return Version{}, fault.New(fault.InvalidInput, "version", "%q is not a version: write three numbers such as 1.2.0.", s)
	}
	return Version{number(m[1]), number(m[2]), number(m[3])}, nil
}

func number(s string) uint32 {
	n, _ := strconv.ParseUint(s, 10, 32) // the pattern allows nine digits, which always fit
	return uint32(n)
}

// String gives "x.y.z".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Label gives "vx-y-z", the form inside identities.
func (v Version) Label() string { return fmt.Sprintf("v%d-%d-%d", v.Major, v.Minor, v.Patch) }

// Compare is -1, 0 or 1 as v is lower than, equal to or higher than o.
func (v Version) Compare(o Version) int {
	for _, p := range [][2]uint32{{v.Major, o.Major}, {v.Minor, o.Minor}, {v.Patch, o.Patch}} {
		switch {
		case p[0] < p[1]:
			return -1
		case p[0] > p[1]:
			return 1
		}
	}
	return 0
}

// ConnectionIdentity names one immutable version of one source entry: "developer.shop.v1-2-0".
type ConnectionIdentity string

// ActionIdentity names one action of it: "developer.shop.v1-2-0.create_order".
type ActionIdentity string

// Identity is the parsed form of either.
type Identity struct {
	Source  Source
	ID      string // plugin id, import id, server slug, package name
	Version Version
	Action  string // empty for a connection identity
}

var identityText = regexp.MustCompile(`^(developer|plugin|openapi|mcp|package|builtin|core)\.([a-z][a-z0-9_-]{0,63})\.v(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})(?:\.([A-Za-z0-9_-]{1,128}))?$`)

// ParseIdentity reads a connection identity or an action identity.
func ParseIdentity(s string) (Identity, error) {
	m := identityText.FindStringSubmatch(s)
	if m == nil {
		return Identity{}, fault.New(fault.InvalidInput, "identity",
			"%q is not an identity: write source.id.vX-Y-Z or source.id.vX-Y-Z.action, for instance developer.shop.v1-2-0.create_order.", clip(s))
	}
	return Identity{Source(m[1]), m[2], Version{number(m[3]), number(m[4]), number(m[5])}, m[6]}, nil
}

// ParseAction reads an action identity; a connection identity alone is an error.
func ParseAction(s string) (Identity, error) {
	id, err := ParseIdentity(s)
	if err == nil && id.Action == "" {
		return Identity{}, fault.New(fault.InvalidInput, "identity", "%q names a connection, not an action: add the action's id, for instance %s.list_items.", s, s)
	}
	return id, err
}

func clip(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

// Connection is the connection identity.
func (i Identity) Connection() ConnectionIdentity {
	return ConnectionIdentity(string(i.Source) + "." + i.ID + "." + i.Version.Label())
}

// ActionIdentity is the action identity, or an empty text for a connection alone.
func (i Identity) ActionIdentity() ActionIdentity {
	if i.Action == "" {
		return ""
	}
	return ActionIdentity(string(i.Connection()) + "." + i.Action)
}

// String gives the text that ParseIdentity reads.
func (i Identity) String() string {
	if i.Action == "" {
		return string(i.Connection())
	}
	return string(i.ActionIdentity())
}

// Connection cuts the action off. It is empty when a is no action identity.
func (a ActionIdentity) Connection() ConnectionIdentity {
	i := strings.LastIndexByte(string(a), '.')
	if i < 0 {
		return ""
	}
	return ConnectionIdentity(a[:i])
}

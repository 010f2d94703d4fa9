// Package genisys is the plugin format genisys-plugin@1: one JSON file that holds a manifest and the source of
// one ES module. It decodes and validates, gives the canonical form and the digest, and encodes for export.
// docs/formats/genisys-plugin.md names every rule, the code that keeps it and the test that shows it.
package genisys

import (
	"crypto/sha256"
	"encoding/json"

	"pawl/connections"
)

// Format is the value of the member "format" of every plugin file.
const Format = "genisys-plugin@1"

// Plugin is a valid plugin as Decode has read it. It is read, never changed: its canonical form stands for the
// file that it came from.
type Plugin struct {
	Manifest Manifest
	// Code is the source of the ES module.
	Code string

	canonical []byte
}

// Manifest says what a plugin is and what it brings.
type Manifest struct {
	ID          string // ^[a-z][a-z0-9-]{1,40}$
	Name        string
	Version     connections.Version
	Description string
	Tools       []Tool
	// Hosts are what ctx.fetch may reach over HTTPS: host names in lower-case ASCII (RFC 5890 A-labels).
	Hosts  []string
	Skills []Skill
	// App is nil for a plugin without an app connection.
	App *App
}

// Risk says whether something changes anything outside.
type Risk string

// The two risks of the format.
const (
	Read Risk = "read"
	Act  Risk = "act"
)

// Tool is one function of the module.
type Tool struct {
	Name        string // ^[a-z][a-z0-9_]{1,40}$
	Description string
	// Input is the JSON Schema of the argument: an object, in canonical form. schema.Compile with schema.Open compiles it.
	Input json.RawMessage
	Risk  Risk
}

// Skill is a text of instructions for agents; it grants nothing.
type Skill struct {
	Name         string // ^[a-z][a-z0-9_-]{0,63}$
	Description  string
	Instructions string // Markdown
}

// App is a REST connection and its actions.
type App struct {
	// Origin is the base URL as an origin: https:// and a host name in lower-case ASCII, nothing behind it.
	Origin string
	Auth   Auth
	// Logo is empty or the data URL of a PNG; LogoPNG gives its bytes.
	Logo        string
	SecretLabel string
	KeyHelp     string
	// Docs is empty or an https URL.
	Docs    string
	Actions []Action
}

// Auth says where the account's key goes.
type Auth struct {
	// Header is the name of the header, spelt as declared; empty for Authorization: Bearer (RFC 6750).
	Header string
}

// Bearer says whether the key goes out as a bearer token.
func (a Auth) Bearer() bool { return a.Header == "" }

// Action is one declared request.
type Action struct {
	ID          string // ^[a-z][a-z0-9_]{1,40}$
	Name        string
	Description string
	// Method is GET, POST, PUT, PATCH or DELETE.
	Method string
	// Path is a template that starts with a slash; {field} stands for the path input of that id.
	Path string
	// Body is how body inputs are sent; NoBody for a GET.
	Body Body
	// Risk is Act for every method but GET, and for a GET that asks for it.
	Risk   Risk
	Inputs []Input
}

// Body is an encoding of the request's body.
type Body string

// The encodings. JSONBody is the default of every method but GET.
const (
	NoBody   Body = ""
	JSONBody Body = "json"
	FormBody Body = "form"
)

// Placement says where an input goes.
type Placement string

// The placements.
const (
	InPath  Placement = "path"
	InQuery Placement = "query"
	InBody  Placement = "body"
)

// Type is the declared type of an input; Text is what an input without one has.
type Type string

// The types.
const (
	Text    Type = ""
	Number  Type = "number"
	Integer Type = "integer"
	Boolean Type = "boolean"
)

// Input is one input of an action. At most one of JSON, List and Row is set.
type Input struct {
	ID          string // unique in the action; in the query and without Name it is also the name on the wire
	Label       string
	In          Placement
	Required    bool
	Type        Type // of the value, or with List of each element
	Long        bool // shown as a text area
	JSON        bool // any JSON value
	List        bool // a list of values
	Row         bool // an object: one row of named cells
	Name        string
	Placeholder string
}

// Wire is the name of the input in the request: Name where the body calls it otherwise, else the id.
func (in Input) Wire() string {
	if in.Name != "" {
		return in.Name
	}
	return in.ID
}

// Canonical gives the RFC 8785 form of the file (see package canon for numbers): what is frozen and digested.
func (p *Plugin) Canonical() []byte { return append([]byte(nil), p.canonical...) }

// Digest is the SHA-256 of the canonical form.
func (p *Plugin) Digest() [sha256.Size]byte { return sha256.Sum256(p.canonical) }

// Action finds an action of the app by its id; nil when there is none.
func (a *App) Action(id string) *Action {
	for i := range a.Actions {
		if a.Actions[i].ID == id {
			return &a.Actions[i]
		}
	}
	return nil
}

// Tool gives a tool by its name, nil if there is none.
func (m *Manifest) Tool(name string) *Tool {
	for i := range m.Tools {
		if m.Tools[i].Name == name {
			return &m.Tools[i]
		}
	}
	return nil
}

// Package actions holds what a step does: the compiled form of an action, its risk and its effect. The
// executors live below it, one folder each; they know nothing of releases, accounts or runs.
package actions

import "time"

// Method is an HTTP method that an action may use.
type Method string

// The methods of genisys-plugin@1 and of OpenAPI imports.
const (
	GET    Method = "GET"
	POST   Method = "POST"
	PUT    Method = "PUT"
	PATCH  Method = "PATCH"
	DELETE Method = "DELETE"
)

// Placement is where an input goes in the request.
type Placement string

// The placements.
const (
	InPath  Placement = "path"
	InQuery Placement = "query"
	InBody  Placement = "body"
)

// Type is the declared scalar type of an input; text is the default.
type Type string

// The types of genisys-plugin@1.
const (
	Text    Type = "text"
	Number  Type = "number"
	Integer Type = "integer"
	Boolean Type = "boolean"
)

// BodyKind is how inputs placed in the body are encoded.
type BodyKind string

// The encodings. NoBody is what a GET has, and a mutation without body inputs.
const (
	NoBody   BodyKind = ""
	JSONBody BodyKind = "json" // application/json, RFC 8259
	FormBody BodyKind = "form" // application/x-www-form-urlencoded, WHATWG URL
)

// Input is one declared input of an action.
type Input struct {
	ID          string
	Label       string
	In          Placement
	Required    bool
	Type        Type
	JSON        bool   // any JSON value, placed as JSON
	List        bool   // a JSON array of the type
	Row         bool   // a JSON object: one row of named cells
	Long        bool   // shown as a text area
	Name        string // the member's name in the body, where it differs from the id
	Placeholder string
}

// AuthKind says how the account's key is applied.
type AuthKind string

// The auth kinds. A developer app declares bearer or header only.
const (
	AuthNone   AuthKind = "none"
	AuthBearer AuthKind = "bearer" // Authorization: Bearer <key>, RFC 6750
	AuthHeader AuthKind = "header" // <Name>: <key>
	AuthQuery  AuthKind = "query"  // ?<Name>=<key>
	AuthBasic  AuthKind = "basic"  // Authorization: Basic, RFC 7617, UTF-8
)

// Auth is the declared way of authentication; it holds no secret.
type Auth struct {
	Kind AuthKind
	Name string // header or query parameter
}

// Effect is what the ledger has to guard.
type Effect string

// The effect classes of the ledger.
const (
	Read   Effect = "read"   // may be sent any number of times
	Safe   Effect = "safe"   // an effect that may be sent again with the same bytes
	Unsafe Effect = "unsafe" // sent again only when it is known that nothing happened
)

// Risk is what people see and grant.
type Risk string

// The risks, rising.
const (
	RiskRead        Risk = "read"
	RiskWrite       Risk = "write"
	RiskDestructive Risk = "destructive"
	RiskExternal    Risk = "external"
)

// Action is the compiled, immutable form of one action of one release.
type Action struct {
	Identity    string // developer.shop.v1-2-0.create_order
	ID          string
	Name        string
	Description string
	Method      Method
	Origin      string // scheme and host (and port where a source allows one), no trailing slash
	Path        string // template: /items/{collection}
	Body        BodyKind
	Inputs      []Input
	Auth        Auth
	Risk        Risk
	Effect      Effect
	// HonoursKey says that the provider honours Idempotency-Key, and for how long after the first send; 0 = it
	// does not.
	HonoursKey time.Duration
	// SendsKey says that Idempotency-Key goes out (POST and PATCH).
	SendsKey bool
	// Tool is set for an action that runs in the sandbox; such an action has no request of its own.
	Tool *Tool
	// Local says that nothing of it reaches anything outside, so local-only runs may do it.
	Local bool
}

// NeedsGrant says whether a step of this action needs a standing grant: all above read do.
func (a *Action) NeedsGrant() bool { return a.Risk != RiskRead }

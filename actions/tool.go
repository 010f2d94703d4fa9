package actions

import "pawl/internal/schema"

// Tool is what an action that runs in the sandbox has beside what every action has: a function of a plugin's module.
type Tool struct {
	Plugin string // id of the plugin
	Name   string
	Digest string // names the module with its tools: the release's digest in hexadecimal
	Code   string // the ES module
	Tools  []string
	Hosts  []string // what permissions.hosts names; each needs the project's grant besides
	Input  *schema.Schema
}

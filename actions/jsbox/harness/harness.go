// Package harness has the harness of genisys-plugin@1: one JavaScript file that serves both the server's sandbox
// (actions/jsbox) and a sandboxed iframe in a browser (docs/sandbox.md).
package harness

import _ "embed"

//go:embed harness.js
var script string

// Script is the harness, a classic script. In a page it makes the global __genisys.
func Script() string { return script }

// Package harness has the harness of genisys-plugin@1: one JavaScript file that serves both the server's sandbox
// (actions/jsbox) and a sandboxed iframe in a browser (docs/sandbox.md).
package harness

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
)

//go:embed harness.js
var script string

// Script is the harness, a classic script. In a page it makes the global __genisys.
func Script() string { return script }

// Page is the document of a sandboxed iframe, with the harness in it. Serve it as text/html with Policy in
// Content-Security-Policy, and load it in an iframe with sandbox="allow-scripts".
func Page() string {
	return "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Sandbox</title>\n<script>" + script + "</script>\n"
}

// Policy is the content policy of Page (Content Security Policy Level 3): an origin of its own that nobody shares, no
// connections, no scripts but the harness and the workers that it makes of text. Those may evaluate text, as they may
// in Pawl's own sandbox.
func Policy() string {
	sum := sha256.Sum256([]byte(script))
	return "sandbox allow-scripts; default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"' blob: 'unsafe-eval'; worker-src blob:"
}

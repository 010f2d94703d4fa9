// Package httpcall is the authorized HTTP adapter: it turns an action and an evaluated input into the exact bytes
// of one request, sends them at most once, and turns the answer into a step's output. docs/wire.md states each
// rule with the test that shows it.
//
// One attempt is one request. The bytes go through a gate that stays shut until the caller's Permit has been
// given, counts what is handed to the TLS connection, and can be closed for good: so Answer.Sent is a fact, not
// a guess. HTTP/1.1 only (RFC 9112), because one connection then carries one request at a time.
package httpcall

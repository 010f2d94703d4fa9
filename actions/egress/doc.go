// Package egress is the one way out of Pawl: a guarded dialer. Whatever an action, a plugin's ctx.fetch or an
// importer wants to reach, the address that is really dialled is judged after the look-up, at the dial, on
// every hop: only public addresses, only port 443, unless the operator has named an exception for that host.
//
// The proxies that the environment may name are never used: they would dial for us, unjudged.
package egress

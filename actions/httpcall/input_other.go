//go:build !unix

package httpcall

// hasInput is not known here; a connection that was closed while kept is then noticed when it is written to.
func hasInput(uintptr) bool { return false }

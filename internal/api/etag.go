package api

import (
	"strconv"
	"strings"

	"pawl/internal/fault"
)

// etag is the entity tag (RFC 9110, section 8.8.3) of a revision.
func etag(rev int64) string { return `"` + strconv.FormatInt(rev, 10) + `"` }

// Condition is what a write of a document names: the revision that the writer saw.
type Condition struct {
	IfMatch     string `header:"If-Match" maxLength:"100" doc:"The ETag of the draft that this write builds on; needed when there is one"`
	IfNoneMatch string `header:"If-None-Match" maxLength:"100" doc:"* to say that there must be no draft yet"`
}

// rev is the revision that the condition names, 0 for "there must be none". exists says whether there is one now.
func (c Condition) rev(exists bool, what string) (int64, error) {
	switch {
	case c.IfMatch != "":
		return parseETag(c.IfMatch)
	case c.IfNoneMatch == "*", !exists:
		return 0, nil
	}
	return 0, fault.New(fault.Conflict, reasonPrecondition, "%s exists: send If-Match with the ETag that you read, so that nobody's edit is lost.", what)
}

// parseETag reads an entity tag that this API gave. A tag that is none of ours can match nothing.
func parseETag(s string) (int64, error) {
	n, err := strconv.ParseInt(strings.Trim(strings.TrimSpace(s), `"`), 10, 64)
	if err != nil || n < 1 {
		return 0, fault.New(fault.Conflict, reasonStale, "If-Match is not an ETag of this document. Read it again and send the ETag of the answer.")
	}
	return n, nil
}

package automation

import _ "embed"

//go:embed schema.json
var published string

// Schema is the published JSON Schema (Draft 7) of the format, for editors. It accepts every document that Decode
// accepts; Decode also checks what a schema can't say.
func Schema() []byte { return []byte(published) }

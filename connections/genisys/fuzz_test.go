package genisys_test

import (
	"bytes"
	"testing"

	"pawl/connections/genisys"
)

// FuzzDecode holds the decoder to what it promises for any bytes: a plugin or problems, each with a kind and a
// sentence; and a plugin survives export with the same digest.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{shopFile, legacyFile, connectionFile} {
		data := read(f, file)
		f.Add(data)
		f.Add(data[:len(data)/3])
		f.Add(bytes.ReplaceAll(data, []byte(`"`), []byte(`'`)))
	}
	f.Add([]byte(`{"format":"genisys-plugin@1","manifest":{"id":"ab","name":"n","version":"0.0.0"},"code":"x"}`))
	f.Add([]byte(`{"format":"genisys-plugin@1","manifest":{"id":"ab","name":"n","version":"0.0.0","app":{"baseUrl":"https://a.b","auth":"bearer","actions":[{"id":"ab","name":"n","method":"PUT","path":"/{$a}/{b}.x","inputs":[{"id":"$a","label":"l","in":"path","required":true}]}]}},"code":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, problems := genisys.Decode(data)
		if (p == nil) == (len(problems) == 0) {
			t.Fatalf("Decode = %v, %v", p, problems)
		}
		for _, e := range problems {
			if e.Kind == "" || e.Reason == "" || e.Message == "" || len(e.Message) > 2_000 {
				t.Fatalf("problem %+v", e)
			}
		}
		if p == nil {
			return
		}
		out, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, problems := genisys.Decode(out)
		if len(problems) > 0 || again.Digest() != p.Digest() {
			t.Fatalf("the export of %q is refused or another: %v", data, problems)
		}
	})
}

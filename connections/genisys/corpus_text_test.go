package genisys_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// badTexts makes files whose text is in a wrong encoding, and files that are large.
func badTexts(t testing.TB) []bad {
	t.Helper()
	valid := string(read(t, connectionFile))
	inside := func(text string) []byte { return []byte(strings.Replace(valid, "export default", text, 1)) }
	all := []bad{
		{"made-utf-8-mark", []byte("\ufeff" + valid)},
		{"made-utf-16-mark", wide("\ufeff"+valid, binary.LittleEndian)},
		{"made-utf-16", wide(valid, binary.LittleEndian)},
		{"made-utf-16-large-end-first-mark", wide("\ufeff"+valid, binary.BigEndian)},
		{"made-utf-16-large-end-first", wide(valid, binary.BigEndian)},
		{"made-utf-32", wider(valid, binary.LittleEndian)},
		{"made-utf-32-large-end-first", wider(valid, binary.BigEndian)},
		{"made-utf-7", []byte("+AHs" + valid[1:])},
		{"made-latin-1", inside("stra\xdfe")},
		{"made-windows-1252-quotes", inside("\x93export\x94")},
		{"made-shift-jis", inside("\x83v\x83\x89")},
		{"made-overlong-slash", inside("a\xc0\xafb")},
		{"made-overlong-nul", inside("a\xc0\x80b")},
		{"made-utf-8-of-surrogates", inside("\xed\xa0\xbd\xed\xb8\x80")},
		{"made-utf-8-beyond-unicode", inside("\xf4\x90\x80\x80")},
		{"made-utf-8-cut", []byte(valid[:20] + "\xe2\x82")},
		{"made-latin-1-between", []byte("\xa0" + valid)},
		{"made-gzip", gzipped(t, valid)},
		{"made-zip", zipped(t, valid)},
		{"made-png", pngOf(t, 2, 2)},
	}
	return append(all, largeTexts(valid)...)
}

func largeTexts(valid string) []bad {
	const mib = 1 << 20
	inside := func(text string) []byte { return []byte(strings.Replace(valid, "export default", text, 1)) }
	manifest := func(members string) []byte {
		return []byte(`{"format":"genisys-plugin@1","manifest":{"id":"desk","name":"Desk","version":"1.0.0",` + members + `},"code":"x"}`)
	}
	name := strings.Repeat("n", 40_000)
	return []bad{
		{"large-10-mb-of-spaces", bytes.Repeat([]byte(" "), 10*mib)},
		{"large-10-mb-of-code", inside(strings.Repeat("x", 10*mib))},
		{"large-10-mb-of-brackets", bytes.Repeat([]byte("["), 10*mib)},
		{"large-4-mb-of-brackets", bytes.Repeat([]byte("["), 4*mib)},
		{"large-4-mb-of-braces", bytes.Repeat([]byte(`{"a":`), 4*mib/5)},
		{"large-4-mb-of-digits", bytes.Repeat([]byte("1"), 4*mib)},
		{"large-4-mb-of-escapes", []byte(`{"` + strings.Repeat(`\u0000`, 4*mib/6-1) + `"`)},
		{"large-4-mb-of-half-surrogates", []byte(`["` + strings.Repeat(`\ud800`, 4*mib/6-1) + `"]`)},
		{"large-4-mb-of-bad-bytes", append(append([]byte(`["`), bytes.Repeat([]byte("\xff\x41"), 2*mib-2)...), `"]`...)},
		{"large-a-million-values", []byte("[" + strings.Repeat("1,", mib) + "1]")},
		{"large-200-000-times-one-member", []byte("{" + strings.Repeat(`"a":1,`, 200_000) + `"a":1}`)},
		{"large-100-000-members", manifest(distinct(100_000, `"m%d":1`))},
		{"large-code-beyond-1-mb", inside(strings.Repeat("x", mib))},
		{"large-names-above-duplicates", manifest(strings.Repeat(`"`+name+`":{`, 60) + strings.Repeat(`"a":1,`, 500) + `"a":1` + strings.Repeat(`}`, 60))},
		{"large-name-of-3-mb", manifest(`"` + strings.Repeat("n", 3*mib) + `":1`)},
		{"large-names-of-strangers", manifest(distinct(90, `"`+name+`%d":1`))},
		{"large-50-000-tools", manifest(`"tools":[` + strings.Repeat(`{},`, 50_000) + `{}]`)},
		{"large-50-000-hosts", manifest(`"permissions":{"hosts":[` + strings.Repeat(`"a.example",`, 50_000) + `"a.example"]}`)},
		{"large-host-of-3-mb", manifest(`"permissions":{"hosts":["` + strings.Repeat("a.", mib) + `example"]}`)},
		{"large-host-of-1-mb-of-a-script", manifest(`"permissions":{"hosts":["` + strings.Repeat("ü", mib/2) + `.example"]}`)},
		{"large-path-of-3-mb", manifest(`"app":{"baseUrl":"https://a.example","auth":"bearer","actions":[{"id":"get_it","name":"Get","method":"GET","path":"/` + strings.Repeat("../", mib) + `"}]}`)},
		{"large-path-of-250-fields", manifest(`"app":{"baseUrl":"https://a.example","auth":"bearer","actions":[{"id":"get_it","name":"Get","method":"GET","path":"` + strings.Repeat("/{a}", 250) + `"}]}`)},
		{"large-schema-of-190-000-values", manifest(`"tools":[{"name":"get_it","description":"d","risk":"read","input":{"enum":[` + strings.Repeat("1,", 190_000) + `1]}}]`)},
		{"large-schema-with-long-names", manifest(`"tools":[{"name":"get_it","description":"d","risk":"read","input":` + strings.Repeat(`{"properties":{"`+name+`":`, 30) + `{"enum":[` + strings.Repeat("1,", 100_000) + `1]}` + strings.Repeat(`}}`, 30) + `}]`)},
		{"large-schema-of-6-000-schemas", manifest(`"tools":[{"name":"get_it","description":"d","risk":"read","input":{"properties":{` + distinct(6_000, `"p%d":{}`) + `}}}]`)},
	}
}

func distinct(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// wide writes a text in UTF-16.
func wide(text string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// wider writes a text in UTF-32.
func wider(text string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, r := range text {
		out = order.AppendUint32(out, uint32(r))
	}
	return out
}

func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("plugin.genisys-plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

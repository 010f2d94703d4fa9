package genisys_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pawl/connections/genisys"
)

func long(n int) string { return strconv.Quote(strings.Repeat("ü", n)) }

// list gives a JSON list of n elements made by the format, with the index as its argument.
func list(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestFileRules(t *testing.T) {
	t.Parallel()
	checkRefusals(t, legacyFile, []refusal{
		one("no format", "/format", "", "/format missing_member"),
		one("another format", "/format", `"genisys-plugin@2"`, "/format format"),
		one("format is a number", "/format", `1`, "/format type"),
		one("no manifest", "/manifest", "", "/manifest missing_member"),
		one("manifest is a list", "/manifest", `[]`, "/manifest type"),
		one("manifest is null", "/manifest", `null`, "/manifest type"),
		one("no code", "/code", "", "/code missing_member"),
		one("code is an object", "/code", `{}`, "/code type"),
		one("code is empty", "/code", `" \n"`, "/code blank"),
		one("code is too large", "/code", strconv.Quote(strings.Repeat("x", genisys.MaxCodeBytes+1)), "/code bytes"),
		one("code is just small enough", "/code", strconv.Quote(strings.Repeat("x", genisys.MaxCodeBytes))),
		one("unknown member", "/signature", `"x"`, "/signature unknown_member"),
	})
}

func TestManifestRules(t *testing.T) {
	t.Parallel()
	checkRefusals(t, legacyFile, []refusal{
		one("no id", "/manifest/id", "", "/manifest/id missing_member"),
		one("id of one letter", "/manifest/id", `"a"`, "/manifest/id name"),
		one("id of two letters", "/manifest/id", `"ab"`),
		one("id of 41 letters", "/manifest/id", `"`+strings.Repeat("a", 41)+`"`),
		one("id of 42 letters", "/manifest/id", `"`+strings.Repeat("a", 42)+`"`, "/manifest/id name"),
		one("id with a capital", "/manifest/id", `"Word"`, "/manifest/id name"),
		one("id that starts with a digit", "/manifest/id", `"1word"`, "/manifest/id name"),
		one("id with an underscore", "/manifest/id", `"word_tools"`, "/manifest/id name"),
		one("id with a line break", "/manifest/id", `"word\n"`, "/manifest/id name"),
		one("id is a number", "/manifest/id", `5`, "/manifest/id type"),
		one("no name", "/manifest/name", "", "/manifest/name missing_member"),
		one("name is empty", "/manifest/name", `""`, "/manifest/name blank"),
		one("name of 60 characters", "/manifest/name", long(60)),
		one("name of 61 characters", "/manifest/name", long(61), "/manifest/name length"),
		one("name with a line break", "/manifest/name", `"a\nb"`, "/manifest/name control_character"),
		one("no version", "/manifest/version", "", "/manifest/version missing_member"),
		one("version of two numbers", "/manifest/version", `"1.0"`, "/manifest/version version"),
		one("version with a v", "/manifest/version", `"v1.0.0"`, "/manifest/version version"),
		one("version with a leading zero", "/manifest/version", `"1.02.0"`, "/manifest/version version"),
		one("version with a pre-release", "/manifest/version", `"1.0.0-beta"`, "/manifest/version version"),
		one("version is a number", "/manifest/version", `1.0`, "/manifest/version type"),
		one("description is null", "/manifest/description", `null`, "/manifest/description type"),
		one("description with lines", "/manifest/description", `"a\nb\tc"`),
		one("description too long", "/manifest/description", long(4001), "/manifest/description length"),
		one("description with a NUL", "/manifest/description", `"a\u0000"`, "/manifest/description control_character"),
		one("app is null", "/manifest/app", `null`, "/manifest/app type"),
		one("author", "/manifest/author", `"x"`, "/manifest/author unknown_member"),
	})
}

func TestToolRules(t *testing.T) {
	t.Parallel()
	const tool = "/manifest/tools/0"
	checkRefusals(t, legacyFile, []refusal{
		one("tools is an object", "/manifest/tools", `{}`, "/manifest/tools type"),
		one("a tool is a text", "/manifest/tools/0", `"x"`, tool+" type"),
		one("too many tools", "/manifest/tools", list(101, `{"name":"t%d","description":"d","input":{},"risk":"read"}`), "/manifest/tools count"),
		one("no name", tool+"/name", "", tool+"/name missing_member"),
		one("name with a hyphen", tool+"/name", `"word-count"`, tool+"/name name"),
		one("name of one letter", tool+"/name", `"w"`, tool+"/name name"),
		one("name of 41 letters", tool+"/name", `"`+strings.Repeat("a", 41)+`"`),
		one("name of 42 letters", tool+"/name", `"`+strings.Repeat("a", 42)+`"`, tool+"/name name"),
		one("name used twice", "/manifest/tools/1/name", `"word_count"`, "/manifest/tools/1/name duplicate"),
		one("no description", tool+"/description", "", tool+"/description missing_member"),
		one("no input", tool+"/input", "", tool+"/input missing_member"),
		one("input is true", tool+"/input", `true`, tool+"/input type"),
		one("input is deep", tool+"/input", strings.Repeat(`{"not":`, 63)+`{}`+strings.Repeat(`}`, 63)),
		one("input is too deep", tool+"/input", strings.Repeat(`{"not":`, 64)+`{}`+strings.Repeat(`}`, 64), tool+"/input depth"),
		one("no risk", tool+"/risk", "", tool+"/risk missing_member"),
		one("unknown risk", tool+"/risk", `"write"`, tool+"/risk choice"),
		one("unknown member", tool+"/output", `{}`, tool+"/output unknown_member"),
	})
}

func TestSkillRules(t *testing.T) {
	t.Parallel()
	const skill = "/manifest/skills/0"
	checkRefusals(t, legacyFile, []refusal{
		one("skills is null", "/manifest/skills", `null`, "/manifest/skills type"),
		one("too many skills", "/manifest/skills", list(101, `{"name":"s%d","description":"d","instructions":"i"}`), "/manifest/skills count"),
		one("name with a colon", skill+"/name", `"a:b"`, skill+"/name name"),
		one("name with a capital", skill+"/name", `"Tone"`, skill+"/name name"),
		one("name of 64 letters", skill+"/name", `"`+strings.Repeat("a", 64)+`"`),
		one("name of 65 letters", skill+"/name", `"`+strings.Repeat("a", 65)+`"`, skill+"/name name"),
		one("name used twice", "/manifest/skills/-", `{"name":"tone-check","description":"d","instructions":"i"}`, "/manifest/skills/1/name duplicate"),
		one("no description", skill+"/description", "", skill+"/description missing_member"),
		one("no instructions", skill+"/instructions", "", skill+"/instructions missing_member"),
		one("instructions are empty", skill+"/instructions", `""`, skill+"/instructions blank"),
		one("instructions too long", skill+"/instructions", long(100_001), skill+"/instructions length"),
		one("unknown member", skill+"/permissions", `[]`, skill+"/permissions unknown_member"),
	})
}

func TestHostRules(t *testing.T) {
	t.Parallel()
	const host = "/manifest/permissions/hosts/0"
	at := func(name, value, reason string) refusal {
		if reason == "" {
			return one(name, host, strconv.Quote(value))
		}
		return one(name, host, strconv.Quote(value), host+" "+reason)
	}
	checkRefusals(t, legacyFile, []refusal{
		one("no hosts", "/manifest/permissions", `{}`, "/manifest/permissions/hosts missing_member"),
		one("hosts is a text", "/manifest/permissions/hosts", `"a.example"`, "/manifest/permissions/hosts type"),
		one("another permission", "/manifest/permissions/files", `[]`, "/manifest/permissions/files unknown_member"),
		one("too many hosts", "/manifest/permissions/hosts", list(101, `"h%d.example.com"`), "/manifest/permissions/hosts count"),
		one("a host is a number", host, `1`, host+" type"),
		one("a host twice", "/manifest/permissions/hosts/1", `"API.example.com"`, "/manifest/permissions/hosts/1 duplicate"),
		at("capitals", "API.Example.com", ""),
		at("several hyphens", "r3---sn-x.example.com", ""),
		at("A-label", "xn--bcher-kva.example", ""),
		at("empty", "", "host"),
		at("scheme", "https://api.example.com", "scheme"),
		at("port", "api.example.com:8443", "port"),
		at("path", "api.example.com/v1", "path"),
		at("query", "api.example.com?x", "path"),
		at("credentials", "me@api.example.com", "credentials"),
		at("wildcard", "*.example.com", "wildcard"),
		at("IPv4", "93.184.216.34", "address"),
		at("IPv6", "2606:2800::1", "address"),
		at("IPv6 in brackets", "[::1]", "address"),
		at("short IPv4", "127.1", "address"),
		at("decimal IPv4", "2130706433", "address"),
		at("hexadecimal IPv4", "0x7f000001", "address"),
		at("hexadecimal last part", "example.0x1", "address"),
		at("wide digits", "１２７.0.0.1", "address"),
		at("circled digits", "①②⑦.⓪.⓪.①", "address"),
		at("localhost", "localhost", "private"),
		at("below localhost", "a.LOCALHOST", "private"),
		at("local", "printer.local", "private"),
		at("internal", "metadata.google.internal", "private"),
		at("home network", "nas.home.arpa", "private"),
		at("one label", "api", "single_label"),
		at("trailing dot", "api.example.com.", "host"),
		at("ideographic dot at the end", "api.example.com。", "host"),
		at("white space", "api example.com", "host"),
		at("leading white space", " api.example.com", "host"),
		at("empty label", "api..example.com", "host"),
		at("underscore", "my_api.example.com", "host"),
		at("hyphen at the end of a label", "api-.example.com", "host"),
		at("broken A-label", "xn--a.example", "host"),
		at("wide slash", "evil.example／api.example.com", "host"),
		at("label too long", strings.Repeat("a", 64)+".example", "host"),
		at("name too long", strings.Repeat("abcdefghi.", 25)+"example", "host"),
		at("line break", "api.example.com\n", "host"),
	})
}

package genisys_test

import (
	"strconv"
	"strings"
	"testing"
)

const app = "/manifest/app"

func TestAppRules(t *testing.T) {
	t.Parallel()
	checkRefusals(t, shopFile, []refusal{
		one("no baseUrl", app+"/baseUrl", "", app+"/baseUrl missing_member"),
		one("no auth", app+"/auth", "", app+"/auth missing_member"),
		one("no actions", app+"/actions", "", app+"/actions missing_member"),
		one("unknown member", app+"/headers", `{}`, app+"/headers unknown_member"),
		one("misspelt member", app+"/baseURL", `"x"`, app+"/baseURL unknown_member"),
		one("secretLabel too long", app+"/secretLabel", long(201), app+"/secretLabel length"),
		one("keyHelp too long", app+"/keyHelp", long(2001), app+"/keyHelp length"),
		one("keyHelp is a list", app+"/keyHelp", `[]`, app+"/keyHelp type"),
		one("docs over http", app+"/docs", `"http://shop.example/docs"`, app+"/docs url"),
		one("C137 docs as a script", app+"/docs", `"javascript:alert(1)"`, app+"/docs url"),
		one("docs with credentials", app+"/docs", `"https://a:b@shop.example/"`, app+"/docs url"),
		one("docs without a host", app+"/docs", `"https:///x"`, app+"/docs url"),
		one("docs empty", app+"/docs", `""`),
		one("docs too long", app+"/docs", `"https://shop.example/`+strings.Repeat("a", 2000)+`"`, app+"/docs length"),
	})
}

func TestBaseURLRules(t *testing.T) {
	t.Parallel()
	at := func(name, value, reason string) refusal {
		if reason == "" {
			return one(name, app+"/baseUrl", strconv.Quote(value))
		}
		return one(name, app+"/baseUrl", strconv.Quote(value), app+"/baseUrl "+reason)
	}
	checkRefusals(t, shopFile, []refusal{
		at("origin", "https://api.example.com", ""),
		at("lone slash", "https://api.example.com/", ""),
		at("capitals", "HTTPS://API.Example.com", ""),
		at("empty", "", "scheme"),
		at("http", "http://api.example.com", "scheme"),
		at("no scheme", "api.example.com", "scheme"),
		at("ftp", "ftp://api.example.com", "scheme"),
		at("no host", "https://", "host"),
		at("default port", "https://api.example.com:443", "port"),
		at("other port", "https://api.example.com:8443", "port"),
		at("path", "https://api.example.com/v1", "path"),
		at("two slashes", "https://api.example.com//", "path"),
		at("query", "https://api.example.com?x=1", "path"),
		at("empty query", "https://api.example.com?", "path"),
		at("fragment", "https://api.example.com#", "path"),
		at("backslash", `https://api.example.com\@evil.example`, "path"),
		at("user", "https://me@api.example.com", "credentials"),
		at("user and password", "https://me:secret@api.example.com", "credentials"),
		at("IPv4", "https://93.184.216.34", "address"),
		at("IPv6", "https://[2606:2800::1]", "address"),
		at("metadata address", "https://169.254.169.254", "address"),
		at("decimal address", "https://2852039166", "address"),
		at("localhost", "https://localhost", "private"),
		at("local", "https://shop.local", "private"),
		at("internal", "https://shop.internal", "private"),
		at("one label", "https://shop", "single_label"),
		at("wildcard", "https://*.example.com", "wildcard"),
		at("template", "https://{tenant}.example.com", "host"),
		at("white space", "https://api.example.com ", "host"),
		at("trailing dot", "https://api.example.com./", "host"),
	})
}

func TestOriginIsNormal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, give, want string }{
		{"lone slash", "https://api.example.com/", "https://api.example.com"},
		{"capitals", "HTTPS://API.Example.com", "https://api.example.com"},
		{"other script", "https://bücher.example", "https://xn--bcher-kva.example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := decode(t, edit(t, read(t, shopFile), change{app + "/baseUrl", strconv.Quote(tt.give)}))
			if got := p.Manifest.App.Origin; got != tt.want {
				t.Errorf("Origin = %s; want %s", got, tt.want)
			}
		})
	}
}

func TestAuthRules(t *testing.T) {
	t.Parallel()
	at := func(value, reason string) refusal {
		if reason == "" {
			return one(value, app+"/auth", strconv.Quote(value))
		}
		return one(value, app+"/auth", strconv.Quote(value), app+"/auth "+reason)
	}
	rows := []refusal{
		at("bearer", ""), at("header:X-Api-Key", ""), at("header:X-API-KEY", ""), at("header:PRIVATE-TOKEN", ""), at("header:x!#$%&'*+.^_`|~-9", ""),
		at("header:Hostess", ""), at("header:X-Forwarded", ""), at("header:Contents", ""),
		at("", "auth"), at("Bearer", "auth"), at("basic", "auth"), at("none", "auth"), at("X-Api-Key", "auth"), at("query:key", "auth"), at("oauth2", "auth"),
		at("header:", "header"), at("header: X-Api-Key", "header"), at("header:X-Api-Key:", "header"), at("header:X Key", "header"),
		at("header:X-Kéy", "header"), at("header:X-Key\r\nHost", "header"), at("header:"+strings.Repeat("x", 101), "header"),
		one("auth is an object", app+"/auth", `{"header":"X-Api-Key"}`, app+"/auth type"),
	}
	for _, name := range []string{
		"Authorization", "Cookie", "Set-Cookie", "Host", "Transfer-Encoding", "TE", "Trailer", "Connection", "Upgrade",
		"Keep-Alive", "Forwarded", "Idempotency-Key", "User-Agent", "Expect", "Range", "Origin", "Referer", "Via",
		"Content-Type", "Content-Length", "Content-Anything", "Proxy-Authorization", "Proxy-X", "X-Forwarded-For", "X-Forwarded-X",
		"Accept", "Accept-Encoding", "Sec-Fetch-Mode", "Sec-Api-Key",
	} {
		rows = append(rows, at("header:"+name, "reserved_header"), at("header:"+strings.ToUpper(name)+"", "reserved_header"), at("header:"+strings.ToLower(name), "reserved_header"))
	}
	checkRefusals(t, shopFile, rows)
}

func TestC026HeaderKeepsItsSpelling(t *testing.T) {
	t.Parallel()
	p := decode(t, edit(t, read(t, shopFile), change{app + "/auth", `"header:X-API-KEY"`}))
	if got := p.Manifest.App.Auth.Header; got != "X-API-KEY" {
		t.Errorf("Header = %s; want X-API-KEY", got)
	}
}

package genisys_test

import (
	"strconv"
	"strings"
	"testing"
)

func TestPathRules(t *testing.T) {
	t.Parallel()
	at := func(path string, reasons ...string) refusal {
		for i := range reasons {
			reasons[i] = first + "/path " + reasons[i]
		}
		return one(path, first+"/path", strconv.Quote(path), reasons...)
	}
	checkRefusals(t, shopFile, []refusal{
		at("/"), at("/items"), at("/items/"), at("/v1/items.json"), at("/~me/a:b@c;d=1,2/(x)!$&'*+"), at("/a%20b"), at("/gr%C3%B6sse"), at("/.well-known/x"), at("/a..b"), at("/..."),
		at("/50%25off"),
		at("", "path"), at("items", "path"), at("https://evil.example/x", "path", "path"), at("//evil.example", "path"), at("/a//b", "path"),
		at("/items?x=1", "query"), at("/items#top", "fragment"), at(`/a\b`, "path"), at(`/..\b`, "path"), at("/a b", "path"), at("/größe", "path", "path"), at("/a\tb", "path"),
		at("/a\u2028b", "path"), at("/<x>", "path", "path"),
		at("/..", "traversal"), at("/.", "traversal"), at("/a/../b", "traversal"), at("/a/./b", "traversal"), at("/a/..;x/b", "traversal"), at("/../../etc", "traversal", "traversal"),
		at("/%2e%2e/b", "traversal"), at("/%2E./b", "traversal"), at("/a%2fb", "traversal"), at("/a%2Fb", "traversal"), at("/a%5Cb", "traversal"), at("/%252e%252e/b", "traversal"),
		at("/a%00", "path"), at("/a%0d%0aX", "path", "path"), at("/a%7f", "path"), at("/a%", "path"), at("/a%2", "path"), at("/a%zz", "path"), at("/a%+1", "path"),
		at("/a?b#c/../d", "query", "fragment", "traversal"),
		at("/{", "braces"), at("/}", "braces"), at("/{a", "braces"), at("/a}b", "braces"), at("/{a}}", "braces"), at("/{}", "field"), at("/{{a}}", "field"), at("/{a b}", "field"), at("/{a/b}", "field"),
		at("/{none}", "field"), at("/{none}/{none}", "duplicate", "field"),
		at("/" + strings.Repeat("a", 999)), at("/"+strings.Repeat("a", 1000), "length"),
		one("path is a list", first+"/path", `[]`, first+"/path type"),
	})
}

func TestPathFieldsAndInputs(t *testing.T) {
	t.Parallel()
	const in = second + "/inputs/0"
	checkRefusals(t, shopFile, []refusal{
		one("field without an input", second+"/inputs", `[]`, second+"/path field"),
		one("field without inputs", second+"/inputs", "", second+"/path field"),
		one("input that is not required", in+"/required", "", in+"/required field"),
		one("input that says it is not required", in+"/required", `false`, in+"/required field"),
		one("input elsewhere", in+"/in", `"query"`, in+"/in field"),
		one("input without a field", second+"/path", `"/v1/orders"`, in+"/id field"),
		one("field in another letter case", second+"/path", `"/v1/orders/{Order_id}"`, in+"/id field", second+"/path field"),
		one("field twice", second+"/path", `"/v1/{order_id}/{order_id}"`, second+"/path duplicate"),
		one("field with an extension", second+"/path", `"/v1/{order_id}.json"`),
		{"two fields", []change{
			{second + "/path", `"/v1/{store}/{order_id}"`},
			{second + "/inputs/-", `{"id":"store","label":"Store","in":"path","required":true}`},
		}, nil},
		{"field with a dollar", []change{{second + "/path", `"/v1/{$id}"`}, {in + "/id", `"$id"`}}, nil},
	})
}

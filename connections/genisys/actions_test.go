package genisys_test

import (
	"strings"
	"testing"

	"pawl/connections/genisys"
)

// first is list_orders (GET), second get_order (GET with a path input), third create_order (POST).
const (
	first  = app + "/actions/0"
	second = app + "/actions/1"
	third  = app + "/actions/2"
)

const manyActions = `{"id":"action_%d","name":"An action","method":"GET","path":"/x"}`

func TestActionRules(t *testing.T) {
	t.Parallel()
	checkRefusals(t, shopFile, []refusal{
		one("actions is an object", app+"/actions", `{}`, app+"/actions type"),
		one("no action", app+"/actions", `[]`, app+"/actions count"),
		one("30 actions", app+"/actions", list(30, manyActions)),
		one("31 actions", app+"/actions", list(31, manyActions), app+"/actions count"),
		one("an action is null", first, `null`, first+" type"),
		one("no id", first+"/id", "", first+"/id missing_member"),
		one("id with a hyphen", first+"/id", `"list-orders"`, first+"/id name"),
		one("id of one letter", first+"/id", `"l"`, first+"/id name"),
		one("id of 42 letters", first+"/id", `"`+strings.Repeat("a", 42)+`"`, first+"/id name"),
		one("id used twice", second+"/id", `"list_orders"`, second+"/id duplicate"),
		one("no name", first+"/name", "", first+"/name missing_member"),
		one("name too long", first+"/name", long(101), first+"/name length"),
		one("no method", first+"/method", "", first+"/method missing_member"),
		one("method in lower case", first+"/method", `"get"`, first+"/method choice"),
		one("HEAD", first+"/method", `"HEAD"`, first+"/method choice"),
		one("no path", first+"/path", "", first+"/path missing_member"),
		one("body json", third+"/body", `"json"`),
		one("body multipart", third+"/body", `"multipart"`, third+"/body choice"),
		one("body form of a GET", first+"/body", `"form"`, first+"/body get_body"),
		one("body json of a GET", first+"/body", `"json"`, first+"/body get_body"),
		one("body form of a DELETE", app+"/actions/5/body", `"form"`),
		one("risk act of a POST", third+"/risk", `"act"`),
		one("risk read of a POST", third+"/risk", `"read"`, third+"/risk risk"),
		one("risk read of a GET", first+"/risk", `"read"`),
		one("unknown risk", first+"/risk", `"destructive"`, first+"/risk choice"),
		one("headers", first+"/headers", `{}`, first+"/headers unknown_member"),
		one("script", first+"/run", `"x"`, first+"/run unknown_member"),
	})
}

func TestInputRules(t *testing.T) {
	t.Parallel()
	const in = third + "/inputs/0"      // customer, body
	const query = first + "/inputs/1"   // limit, query, integer
	const inPath = second + "/inputs/0" // order_id, path
	checkRefusals(t, shopFile, []refusal{
		one("inputs is an object", first+"/inputs", `{}`, first+"/inputs type"),
		one("too many inputs", first+"/inputs", list(101, `{"id":"i%d","label":"x","in":"query"}`), first+"/inputs count"),
		one("an input is a text", in, `"customer"`, in+" type"),
		one("no id", in+"/id", "", in+"/id missing_member"),
		one("no label", in+"/label", "", in+"/label missing_member"),
		one("label is empty", in+"/label", `""`, in+"/label blank"),
		one("label too long", in+"/label", long(201), in+"/label length"),
		one("no placement", in+"/in", "", in+"/in missing_member"),
		one("header placement", in+"/in", `"header"`, in+"/in choice"),
		one("required is a text", in+"/required", `"true"`, in+"/required type"),
		one("required is null", in+"/required", `null`, in+"/required type"),
		one("required is false", in+"/required", `false`),
		one("type string", in+"/type", `"string"`, in+"/type choice"),
		one("type integer", in+"/type", `"integer"`),
		one("list of integers", in, `{"id":"customer","label":"x","in":"body","list":true,"type":"integer"}`),
		one("json with a type", in, `{"id":"customer","label":"x","in":"body","json":true,"type":"integer"}`, in+"/type flags"),
		one("row with a type", in, `{"id":"customer","label":"x","in":"body","row":true,"type":"number"}`, in+"/type flags"),
		one("json and list", in, `{"id":"customer","label":"x","in":"body","json":true,"list":true}`, in+"/list flags"),
		one("list and row", in, `{"id":"customer","label":"x","in":"body","list":true,"row":true}`, in+"/row flags"),
		one("long number", in, `{"id":"customer","label":"x","in":"body","long":true,"type":"number"}`, in+"/long flags"),
		one("long json", in, `{"id":"customer","label":"x","in":"body","long":true,"json":true}`),
		one("json in the path", inPath+"/json", `true`, inPath+"/json flags"),
		one("list in the path", inPath+"/list", `true`, inPath+"/list flags"),
		one("integer in the path", inPath+"/type", `"integer"`),
		one("name in the query", query+"/name", `"x"`, query+"/name name"),
		one("name in the path", inPath+"/name", `"x"`, inPath+"/name name"),
		one("name in the body", in+"/name", `"Customer No."`),
		one("name is empty", in+"/name", `""`, in+"/name blank"),
		one("C149 name of a prototype", in+"/name", `"__proto__"`, in+"/name name"),
		one("C149 id of a prototype", in+"/id", `"__proto__"`, in+"/id name"),
		one("C149 ids are data", first+"/inputs", list(1, `{"id":"constructor.prototype.p%d","label":"x","in":"query"}`)),
		one("placeholder too long", in+"/placeholder", long(501), in+"/placeholder length"),
		one("default", in+"/default", `1`, in+"/default unknown_member"),
		one("id used twice", third+"/inputs/1/id", `"customer"`, third+"/inputs/1/id duplicate"),
		one("name that is another's id", third+"/inputs/1/name", `"customer"`, third+"/inputs/1/name duplicate"),
		one("name used twice", third+"/inputs/1/name", `"customer_note"`, third+"/inputs/4/name duplicate"),
		one("query and body may share a name", third+"/inputs/-", `{"id":"q","label":"x","in":"query"}`),
	})
}

func TestInputIDs(t *testing.T) {
	t.Parallel()
	var rows []refusal
	for _, id := range []string{"q", "Q", "user_id", "user-id", "page.size", "$filter", "@type", "filter[status]", "ids[]", "a:in", "_x", strings.Repeat("a", 64)} {
		rows = append(rows, one(id, first+"/inputs/3/id", `"`+id+`"`))
	}
	for _, id := range []string{"", " ", "a b", "1a", "a/b", "a?b", "a{b}", "a&b", "a=b", "a#b", "a%20b", "ä", `a\"b`, `a\n`, "-a", strings.Repeat("a", 65)} {
		rows = append(rows, one("not "+id, first+"/inputs/3/id", `"`+id+`"`, first+"/inputs/3/id name"))
	}
	checkRefusals(t, shopFile, rows)
}

func TestC001GetHasNoBody(t *testing.T) {
	t.Parallel()
	data := edit(t, read(t, connectionFile), change{app + "/actions/0", `{"id":"get_ticket","name":"Get ticket","method":"GET","path":"/tickets/{id}",
		"inputs":[{"id":"id","label":"Ticket","in":"path","required":true},{"id":"note","label":"Note","in":"body"}]}`})
	_, problems := genisys.Decode(data)
	if len(problems) != 1 {
		t.Fatalf("problems %v; want one", problems)
	}
	if e := problems[0]; e.Where.Pointer != app+"/actions/0/inputs/1/in" || !strings.Contains(e.Message, `"get_ticket"`) || !strings.Contains(e.Message, `"note"`) {
		t.Errorf("%s: %s; want the action and the input named", e.Where.Pointer, e.Message)
	}
}

func TestC018QueryInputMayBeCalledFilter(t *testing.T) {
	t.Parallel()
	in := decode(t, read(t, shopFile)).Manifest.App.Action("list_orders").Inputs[3]
	if in.ID != "$filter" || in.In != genisys.InQuery || in.Wire() != "$filter" {
		t.Errorf("input %+v", in)
	}
}

func TestC108OneNameInPathAndBody(t *testing.T) {
	t.Parallel()
	data := edit(t, read(t, connectionFile), change{app + "/actions/0", `{"id":"put_user","name":"Put user","method":"PUT","path":"/users/{id}",
		"inputs":[{"id":"id","label":"User","in":"path","required":true},{"id":"body_id","name":"id","label":"New id","in":"body"}]}`})
	in := decode(t, data).Manifest.App.Actions[0].Inputs
	if in[0].Wire() != "id" || in[1].Wire() != "id" {
		t.Errorf("inputs %+v", in)
	}
}

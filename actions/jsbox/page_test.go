package jsbox_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions/jsbox"
)

// testdata/url.json has what the URL of Node 20 makes of addresses, which follows the URL standard.
func TestURLIsTheStandards(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/url.json")
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, engine(t, jsbox.Config{}), `
		const wrong = [];
		for (const { input: address, base, want } of input.parse) {
			let got = null;
			try {
				const url = new URL(address, base);
				got = {};
				for (const name of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) got[name] = url[name];
			} catch (e) {
				if (!(e instanceof TypeError)) throw e;
			}
			if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push({ address, base: base ?? null, got, want });
			if (URL.canParse(address, base) !== (want !== null)) wrong.push({ address, canParse: want === null });
		}
		for (const { start, name, to, want } of input.set) {
			const url = new URL(start);
			let got = null;
			try { url[name] = to; got = url.href; } catch {}
			if (got !== want) wrong.push({ start, name, to, got, want });
		}
		return wrong.slice(0, 20);
	`, string(table))
	if diff := cmp.Diff("[]", got); diff != "" {
		t.Error(diff)
	}
}

func TestThePageHas(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	tests := []struct {
		name string
		body string
		want string
	}{
		{name: "a URL that follows its parameters", body: `const u = new URL("https://h/?a=1"); u.searchParams.append("b", "2 3"); u.searchParams.delete("a"); const first = u.href; u.search = "?k=v"; return [first, u.searchParams.get("k"), String(u), JSON.stringify(u)];`, want: `["https://h/?b=2+3","v","https://h/?k=v","\"https://h/?k=v\""]`},
		{name: "a host that is not ASCII", body: `try { new URL("https://bücher.example/"); } catch (e) { return [e.name, e.message]; }`, want: `["TypeError","Invalid URL \"https://bücher.example/\": its host is not ASCII; write it in its xn-- form."]`},
		{name: "parameters", body: `const p = new URLSearchParams("?a=1&b=%E4%BD%A0+x&a=2&=&c"); p.set("a", "9"); p.append("d", "é!'()~*-._"); p.sort(); return [p.toString(), p.getAll("a"), p.has("c", ""), p.size, [...p.keys()], Object.fromEntries(p).b];`, want: `["=&a=9&b=%E4%BD%A0+x&c=&d=%C3%A9%21%27%28%29%7E*-._",["9"],true,5,["","a","b","c","d"],"你 x"]`},
		{name: "parameters of objects and pairs", body: `return [String(new URLSearchParams({ a: 1, b: "x y" })), String(new URLSearchParams([["a", "1"], ["a", "2"]])), String(new URLSearchParams(new URLSearchParams("q=%ff%zz%")))];`, want: `["a=1&b=x+y","a=1&a=2","q=%EF%BF%BD%25zz%25"]`},
		{name: "pairs that are none", body: `try { new URLSearchParams([["a"]]); } catch (e) { return e.name; }`, want: `"TypeError"`},
		{name: "text as bytes", body: `return [...new TextEncoder().encode("aé你😀\ud800")];`, want: `[97,195,169,228,189,160,240,159,152,128,239,191,189]`},
		{name: "text into bytes", body: `const b = new Uint8Array(4); const r = new TextEncoder().encodeInto("aé😀", b); return [r, [...b]];`, want: `[{"read":2,"written":3},[97,195,169,0]]`},
		{name: "bytes as text", body: `const d = new TextDecoder(); return [d.decode(new Uint8Array([0xef, 0xbb, 0xbf, 97, 195, 169])), d.decode(new Uint8Array([240, 159, 152, 128]).buffer), d.decode(), d.encoding];`, want: `["aé","😀","","utf-8"]`},
		{name: "bytes that are no text", body: `const d = (...b) => new TextDecoder().decode(new Uint8Array(b)); return [d(0xff, 97), d(0xc3), d(0xe4, 0xbd, 97), d(0xed, 0xa0, 0x80), d(0xf0, 0x9f, 0x98), d(0xf5, 0x80), d(0xc0, 0x80)];`, want: `["�a","�","�a","���","�","��","��"]`},
		{name: "bytes in parts", body: `const d = new TextDecoder(); const parts = [[0xef, 0xbb], [0xbf, 97, 0xf0, 0x9f], [0x98], [0x80, 98], [0xe4]]; let s = ""; for (const p of parts) s += d.decode(new Uint8Array(p), { stream: true }); return s + d.decode();`, want: `"a😀b�"`},
		{name: "a decoder that is strict", body: `try { new TextDecoder("UTF-8", { fatal: true }).decode(new Uint8Array([255])); } catch (e) { return e.name; }`, want: `"TypeError"`},
		{name: "a decoder of another encoding", body: `try { new TextDecoder("latin1"); } catch (e) { return e.name; }`, want: `"RangeError"`},
		{name: "a clone", body: `const a = { d: new Date(5), m: new Map([[1, new Set([2])]]), r: /x/gi, n: [undefined, 1n], b: new Uint8Array([1, 2]).subarray(1), e: new RangeError("far") }; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c, c.d.getTime(), [...c.m.get(1)], c.r.flags, String(c.n[1]), [...c.b], c.e instanceof RangeError, c.e.message, Object.keys(structuredClone(JSON.parse('{"__proto__":1}')))];`, want: `[true,true,5,[2],"gi","1",[2],true,"far",["__proto__"]]`},
		{name: "no clone of a function", body: `try { structuredClone({ f() {} }); } catch (e) { return [e.name, e.message]; }`, want: `["DataCloneError","A function can't be cloned."]`},
		{name: "timers in order", body: `const seen = []; setTimeout((x) => seen.push(x), 6, "c"); setTimeout(() => seen.push("a"), 1); const no = setTimeout(() => seen.push("no"), 2); clearTimeout(no); clearTimeout(99); let n = 0; await new Promise((done) => { const i = setInterval(() => { if (++n === 3) { clearInterval(i); done(); } }, 4); }); return [seen, n];`, want: `[["a","c"],3]`},
		{name: "a timer needs a function", body: `try { setTimeout("x = 1", 1); } catch (e) { return e.name; }`, want: `"TypeError"`},
		{name: "base64", body: `return [atob("aGk="), btoa("hi"), Uint8Array.fromBase64("aGk=").length];`, want: `["hi","aGk=",2]`},
		{name: "random bytes with limits", body: `const e = []; for (const f of [() => crypto.getRandomValues(new Uint8Array(65537)), () => crypto.getRandomValues(new Float64Array(1)), () => crypto.getRandomValues([])]) { try { f(); e.push(null); } catch (x) { e.push(x.name); } } return [e, crypto.getRandomValues(new BigUint64Array(2)).length];`, want: `[["QuotaExceededError","TypeMismatchError","TypeMismatchError"],2]`},
		{name: "the time zone UTC", body: `return [new Date(2020, 0, 1).getTime() === Date.UTC(2020, 0, 1), new Date(0).getTimezoneOffset(), new Date(1e12).toString()];`, want: `[true,0,"Sun Sep 09 2001 01:46:40 GMT+0000"]`},
		{name: "a clock of whole milliseconds", body: `return [Number.isInteger(Date.now()), Date.now() > 1.7e12];`, want: `[true,true]`},
		{name: "microtasks before timers", body: `const s = []; setTimeout(() => s.push("timer"), 1); queueMicrotask(() => s.push("micro")); await new Promise((r) => setTimeout(r, 3)); return s;`, want: `["micro","timer"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, run(t, e, tt.body, "")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

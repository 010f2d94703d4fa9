// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Error: trap (line 2, column 44).","where":{"line":2,"column":44}}
export default { tools: { async t(input, ctx) {
  return new Proxy([], { get() { throw new Error("trap"); } });
} } };

// want: {"kind":"rejected","reason":"threw","message":"The tool t threw TypeError: The body of ctx.fetch is text: use JSON.stringify for an object (line 2, column 20).","where":{"line":2,"column":20}}
export default { tools: { async t(input, ctx) {
  return await ctx.fetch("https://example.com/", { method: "POST", body: { a: 1 } });
} } };

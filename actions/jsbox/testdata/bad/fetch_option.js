// want: {"kind":"rejected","reason":"threw","message":"The tool t threw TypeError: ctx.fetch knows method, headers and body, not json (line 2, column 20).","where":{"line":2,"column":20}}
export default { tools: { async t(input, ctx) {
  return await ctx.fetch("https://example.com/", { json: {} });
} } };

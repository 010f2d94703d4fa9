// want: {"kind":"rejected","reason":"threw","message":"The tool t threw TypeError: The body of ctx.fetch has at most 1000000 bytes (line 2, column 78).","where":{"line":2,"column":78}}
export default { tools: { async t(input, ctx) {
  return await ctx.fetch("https://example.com/", { method: "POST", body: "x".repeat(1_000_001) });
} } };

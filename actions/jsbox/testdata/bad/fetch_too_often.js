// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Error: ctx.fetch sends at most 50 requests in one call (line 5, column 20).","where":{"line":5,"column":20}}
export default { tools: { async t(input, ctx) {
  const all = [];
  for (let i = 0; i < 51; i++) all.push(ctx.fetch("https://example.com/").catch(() => {}));
  await Promise.all(all.slice(0, 50));
  return await ctx.fetch("https://example.com/");
} } };

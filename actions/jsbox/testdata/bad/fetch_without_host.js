// want: {"kind":"permission_required","reason":"fetch_host","message":"ctx.fetch may not reach example.com."}
export default { tools: { async t(input, ctx) {
  return await ctx.fetch("https://example.com/");
} } };

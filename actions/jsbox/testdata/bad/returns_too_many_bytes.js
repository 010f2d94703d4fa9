// want: {"kind":"too_large","reason":"output","message":"The tool t returned more than 100000 bytes of JSON."}
export default { tools: { async t(input, ctx) {
  return "é".repeat(50_000);
} } };

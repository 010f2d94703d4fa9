// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned a Set: return Array.from(it)."}
export default { tools: { async t(input, ctx) {
  return new Set([1]);
} } };

// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned a RegExp: return its source."}
export default { tools: { async t(input, ctx) {
  return /x/;
} } };

// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned a value that can't be read: it threw Error: gotcha."}
export default { tools: { async t(input, ctx) {
  return { get x() { throw new Error("gotcha"); } };
} } };

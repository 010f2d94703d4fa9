// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned a function: JSON has none."}
export default { tools: { async t(input, ctx) {
  return () => 1;
} } };

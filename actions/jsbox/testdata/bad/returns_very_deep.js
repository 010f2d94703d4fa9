// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned a value that is nested more than 200 deep."}
export default { tools: { async t(input, ctx) {
  let x = null;
  for (let i = 0; i < 100000; i++) x = { x };
  return x;
} } };

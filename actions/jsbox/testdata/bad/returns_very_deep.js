// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned a value that can't be read: it threw RangeError: Maximum call stack size exceeded."}
export default { tools: { async t(input, ctx) {
  let x = null;
  for (let i = 0; i < 100000; i++) x = { x };
  return x;
} } };

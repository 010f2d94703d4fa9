// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /0, Infinity: JSON has no such number.","where":{"pointer":"/0"}}
export default { tools: { async t(input, ctx) {
  return [1 / 0];
} } };

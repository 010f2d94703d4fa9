// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /a~1b/c~0d, NaN: JSON has no such number.","where":{"pointer":"/a~1b/c~0d"}}
export default { tools: { async t(input, ctx) {
  return { "a/b": { "c~d": 0 / 0 } };
} } };

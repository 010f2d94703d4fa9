// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /a/x�, text with the character U+0000.","where":{"pointer":"/a/x�"}}
export default { tools: { async t(input, ctx) {
  return { a: { "x\0": 1 } };
} } };

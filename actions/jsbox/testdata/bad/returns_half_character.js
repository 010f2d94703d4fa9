// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /0/1, text with half a character (a lone surrogate).","where":{"pointer":"/0/1"}}
export default { tools: { async t(input, ctx) {
  return [["ok \\u0000", "\ud83d"]];
} } };

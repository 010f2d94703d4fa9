// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /�, text with half a character (a lone surrogate).","where":{"pointer":"/�"}}
export default { tools: { async t(input, ctx) {
  return { "\udc00": 1 };
} } };

// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /text, text with the character U+0000.","where":{"pointer":"/text"}}
export default { tools: { async t(input, ctx) {
  return { text: "a\0b" };
} } };

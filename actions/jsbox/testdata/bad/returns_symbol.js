// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /a/0, a symbol: JSON has none.","where":{"pointer":"/a/0"}}
export default { tools: { async t(input, ctx) {
  return { a: [Symbol("s")] };
} } };

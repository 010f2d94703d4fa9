// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /list/1, undefined: return null, an object, a list, text, a number or a boolean.","where":{"pointer":"/list/1"}}
export default { tools: { async t(input, ctx) {
  return { list: [1, undefined] };
} } };

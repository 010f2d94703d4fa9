// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /found, a Map: return Object.fromEntries(it).","where":{"pointer":"/found"}}
export default { tools: { async t(input, ctx) {
  return { found: new Map([[1, 2]]) };
} } };

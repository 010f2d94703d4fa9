// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /later, a promise: await it.","where":{"pointer":"/later"}}
export default { tools: { async t(input, ctx) {
  return { later: Promise.resolve(1) };
} } };

// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /error, an Error: return its message.","where":{"pointer":"/error"}}
export default { tools: { async t(input, ctx) {
  return { error: new Error("x") };
} } };

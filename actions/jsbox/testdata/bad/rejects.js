// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Error: rejected (line 2, column 29).","where":{"line":2,"column":29}}
export default { tools: { async t(input, ctx) {
  return Promise.reject(new Error("rejected"));
} } };

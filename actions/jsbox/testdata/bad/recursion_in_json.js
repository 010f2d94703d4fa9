// want: {"kind":"limit","reason":"stack","message":"The tool t threw RangeError: Maximum call stack size exceeded (line 2, column 25).","where":{"line":2,"column":25}}
export default { tools: { async t(input, ctx) {
  return JSON.parse("[".repeat(1e6));
} } };

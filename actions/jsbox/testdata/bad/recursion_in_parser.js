// want: {"kind":"limit","reason":"stack","message":"The tool t threw RangeError: Maximum call stack size exceeded (line 2, column 53).","where":{"line":2,"column":53}}
export default { tools: { async t(input, ctx) {
  return Function("return " + "(".repeat(1e5) + ")".repeat(1e5))();
} } };

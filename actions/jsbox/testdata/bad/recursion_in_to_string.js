// want: {"kind":"limit","reason":"stack","message":"The tool t threw RangeError: Maximum call stack size exceeded (line 2, column 38).","where":{"line":2,"column":38}}
export default { tools: { async t(input, ctx) {
  const o = { toString() { return `${o}`; } };
  return `${o}`;
} } };

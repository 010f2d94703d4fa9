// want: {"kind":"rejected","reason":"threw","message":"The tool t threw ReferenceError: x is not defined (line 3, column 3).","where":{"line":3,"column":3}}
export default { tools: { async t(input, ctx) {
  Object.freeze(globalThis);
  x = 1;
} } };

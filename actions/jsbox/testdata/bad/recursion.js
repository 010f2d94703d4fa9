// want: {"kind":"limit","reason":"stack","message":"The tool t threw RangeError: Maximum call stack size exceeded (line 2, column 24).","where":{"line":2,"column":24}}
export default { tools: { async t(input, ctx) {
  const deeper = () => deeper() + 1;
  return deeper();
} } };

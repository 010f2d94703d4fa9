// want: {"kind":"limit","reason":"stack","message":"The tool t threw RangeError: Maximum call stack size exceeded (line 4, column 10).","where":{"line":4,"column":10}}
export default { tools: { async t(input, ctx) {
  let p = {};
  for (let i = 0; i < 100_000; i++) p = new Proxy(p, {});
  return p.x;
} } };

// want: {"kind":"rejected","reason":"threw","message":"The tool t threw RangeError: BigInt is too large (line 2, column 10).","where":{"line":2,"column":10}}
export default { tools: { async t(input, ctx) {
  return String(2n ** 100_000_000n).length;
} } };

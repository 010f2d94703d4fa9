// want: {"kind":"limit","reason":"time","message":"The tool t ran for more than 300ms and was stopped (line 2, column 42).","where":{"line":2,"column":42}}
export default { tools: { async t(input, ctx) {
  return /^(.*?)\1\1(.*?)\2x$/.test('ab'.repeat(5000));
} } };

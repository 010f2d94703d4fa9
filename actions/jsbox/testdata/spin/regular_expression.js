// want: {"kind":"limit","reason":"time","message":"The tool t ran for more than 300ms and was stopped (line 2, column 20).","where":{"line":2,"column":20}}
export default { tools: { async t(input, ctx) {
  return /^(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!');
} } };

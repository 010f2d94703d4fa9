// want: {"kind":"limit","reason":"time","message":"The tool t ran for more than 300ms and was stopped (line 2, column 59).","where":{"line":2,"column":59}}
export default { tools: { async t(input, ctx) {
  return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
} } };

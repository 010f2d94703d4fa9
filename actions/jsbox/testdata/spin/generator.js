// want: {"kind":"limit","reason":"time","message":"The tool t ran for more than 300ms and was stopped (line 2, column 1).","where":{"line":2,"column":1}}
export default { tools: { async t(input, ctx) {
  const all = (function* () { for (;;) {} })();
  return all.next();
} } };

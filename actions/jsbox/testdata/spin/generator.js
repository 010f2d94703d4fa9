// want: {"kind":"limit","reason":"time","message":"The tool t ran for more than 300ms and was stopped (line 4, column 31).","where":{"line":4,"column":31}}
export default { tools: { async t(input, ctx) {
  function* all() { for (;;) yield 1; }
  let n = 0;
  for (const x of all()) n += x;
  return n;
} } };

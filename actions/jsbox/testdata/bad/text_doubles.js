// want: {"kind":"limit","reason":"memory","message":"The tool t made a text that is too long and was stopped (line 3, column 17).","where":{"line":3,"column":17}}
export default { tools: { async t(input, ctx) {
  let s = "x";
  for (;;) s += s;
} } };

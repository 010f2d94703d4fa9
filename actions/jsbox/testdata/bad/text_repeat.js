// want: {"kind":"limit","reason":"memory","message":"The tool t needed more than 48 MiB of memory and was stopped (line 2, column 16).","where":{"line":2,"column":16}}
export default { tools: { async t(input, ctx) {
  return "abc".repeat(2 ** 28).length;
} } };

// want: {"kind":"limit","reason":"memory","message":"The tool t needed more than 48 MiB of memory and was stopped (line 2, column 29).","where":{"line":2,"column":29}}
export default { tools: { async t(input, ctx) {
  return new Array(2 ** 27).fill(1).length;
} } };

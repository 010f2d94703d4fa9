// want: {"kind":"limit","reason":"memory","message":"The tool t needed more than 48 MiB of memory and was stopped (line 3, column 26).","where":{"line":3,"column":26}}
export default { tools: { async t(input, ctx) {
  const keep = [];
  for (;;) keep.push(new Uint8Array(1e6));
} } };

// want: {"kind":"limit","reason":"memory","message":"The tool t needed more than 48 MiB of memory and was stopped (line 3, column 32).","where":{"line":3,"column":32}}
export default { tools: { async t(input, ctx) {
  const keep = [];
  try { for (;;) keep.push(new Uint8Array(1e6)); } catch { return "survived"; }
} } };

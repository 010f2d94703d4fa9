// want: {"kind":"limit","reason":"memory","message":"The tool t needed more than 48 MiB of memory and was stopped (line 2, column 61).","where":{"line":2,"column":61}}
export default { tools: { async t(input, ctx) {
  return [new Uint8Array(40 * 2 ** 20), new Uint8Array(40 * 2 ** 20)].length;
} } };

// want: {"kind":"limit","reason":"memory","message":"The tool t needed more than 48 MiB of memory and was stopped (line 2, column 14).","where":{"line":2,"column":14}}
export default { tools: { async t(input, ctx) {
  return new ArrayBuffer(2 ** 30).byteLength;
} } };

// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Error: a�b�c (line 2, column 13).","where":{"line":2,"column":13}}
export default { tools: { async t(input, ctx) {
  throw new Error("a\ud800b\0c");
} } };

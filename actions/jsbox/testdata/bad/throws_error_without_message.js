// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Error (line 2, column 13).","where":{"line":2,"column":13}}
export default { tools: { async t(input, ctx) {
  throw new Error();
} } };

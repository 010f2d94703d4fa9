// want: {"kind":"rejected","reason":"threw","message":"The tool t threw TypeError: bad (line 2, column 13).","where":{"line":2,"column":13}}
export default { tools: { async t(input, ctx) {
  throw new TypeError("bad");
} } };

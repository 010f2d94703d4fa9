// want: {"kind":"rejected","reason":"threw","message":"The tool t threw ReferenceError: notDefined is not defined (line 2, column 10).","where":{"line":2,"column":10}}
export default { tools: { async t(input, ctx) {
  return notDefined;
} } };

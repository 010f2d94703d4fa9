// want: {"kind":"rejected","reason":"threw","message":"The tool t threw TypeError: cannot read property 'deeper' of undefined (line 2, column 10).","where":{"line":2,"column":10}}
export default { tools: { async t(input, ctx) {
  return input.missing.deeper;
} } };

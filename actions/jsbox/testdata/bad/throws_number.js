// want: {"kind":"rejected","reason":"threw","message":"The tool t threw 42, which is no Error."}
export default { tools: { async t(input, ctx) {
  throw 42;
} } };

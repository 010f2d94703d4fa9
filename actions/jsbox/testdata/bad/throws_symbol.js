// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Symbol(s), which is no Error."}
export default { tools: { async t(input, ctx) {
  throw Symbol("s");
} } };

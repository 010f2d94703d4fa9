// want: {"kind":"rejected","reason":"threw","message":"The tool t threw undefined, which is no Error."}
export default { tools: { async t(input, ctx) {
  throw undefined;
} } };

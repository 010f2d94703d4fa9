// want: {"kind":"rejected","reason":"threw","message":"The tool t threw {}, which is no Error."}
export default { tools: { async t(input, ctx) {
  throw Object.create(null);
} } };

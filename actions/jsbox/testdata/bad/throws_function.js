// want: {"kind":"rejected","reason":"threw","message":"The tool t threw [function], which is no Error."}
export default { tools: { async t(input, ctx) {
  throw () => 1;
} } };

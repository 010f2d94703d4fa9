// want: {"kind":"rejected","reason":"threw","message":"The tool t threw a value that fails when it is looked at."}
export default { tools: { async t(input, ctx) {
  throw Object.defineProperty(new Error(), "message", { get() { throw 1; } });
} } };

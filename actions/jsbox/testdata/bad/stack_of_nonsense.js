// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Error: odd."}
export default { tools: { async t(input, ctx) {
  const e = new Error("odd");
  e.stack = "plugin.js:99999999999:1";
  throw e;
} } };

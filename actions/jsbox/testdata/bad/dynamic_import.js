// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Error: Nothing can be imported: a plugin's module stands alone."}
export default { tools: { async t(input, ctx) {
  return await import("node:fs");
} } };

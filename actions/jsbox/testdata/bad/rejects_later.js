// want: {"kind":"rejected","reason":"threw","message":"The tool t threw Error: later (line 2, column 70).","where":{"line":2,"column":70}}
export default { tools: { async t(input, ctx) {
  await new Promise((resolve, reject) => setTimeout(() => reject(new Error("later")), 1));
} } };

// want: {"kind":"rejected","reason":"threw","message":"The tool t threw {\"refusal\":true,\"reason\":\"output\",\"message\":\"forged\",\"line\":1000000000,\"fetch\":1}, which is no Error."}
export default { tools: { async t(input, ctx) {
  throw Object.assign(Object.create(null), { refusal: true, reason: "output", message: "forged", line: 1e9, fetch: 1 });
} } };

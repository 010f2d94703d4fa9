// want: {"kind":"rejected","reason":"threw","message":"The tool t threw a value that fails when it is looked at."}
export default { tools: { async t(input, ctx) {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  throw proxy;
} } };

// want: {"kind":"too_large","reason":"output","message":"The tool t returned more than 100000 bytes of JSON."}
export default { tools: { async t(input, ctx) {
  const o = {};
  for (let i = 0; i < 1000; i++) Object.defineProperty(o, `k${i}`, { enumerable: true, get: () => "x".repeat(1000) });
  return o;
} } };

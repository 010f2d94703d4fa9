// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /b/0/a, a value that holds itself: JSON has no cycles.","where":{"pointer":"/b/0/a"}}
export default { tools: { async t(input, ctx) {
  const a = { b: [] };
  a.b.push({ a });
  return a;
} } };

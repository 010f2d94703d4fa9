// want: {"kind":"limit","reason":"time","message":"The tool t ran for more than 300ms and was stopped."}
export default { tools: { async t(input, ctx) {
  return { then() { for (;;) {} } };
} } };

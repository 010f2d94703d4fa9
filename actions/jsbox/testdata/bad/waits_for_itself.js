// want: {"kind":"invalid_response","reason":"never_settled","message":"The tool t never ends: it waits for a promise that nothing is left to settle."}
export default { tools: { async t(input, ctx) {
  const p = (async () => { await null; await p; })();
  await p;
} } };

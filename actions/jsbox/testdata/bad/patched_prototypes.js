// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned a value that can't be read: it threw Error: polluted."}
export default { tools: { async t(input, ctx) {
  Object.prototype.toJSON = function () { throw new Error("polluted"); };
  return { a: 1 };
} } };

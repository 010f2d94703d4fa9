// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned undefined: return null, an object, a list, text, a number or a boolean."}
export default { tools: { async t(input, ctx) {

} } };

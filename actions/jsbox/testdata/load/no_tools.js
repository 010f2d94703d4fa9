// want: {"kind":"invalid_input","reason":"no_tools","message":"The default export of the module has no tools: export default { tools: { … } };"}
export default {};

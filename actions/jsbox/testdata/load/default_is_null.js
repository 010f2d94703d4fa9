// want: {"kind":"invalid_input","reason":"no_default","message":"The module has to have an object as its default export: export default { tools: { … } };"}
export default null;

// want: {"kind":"invalid_input","reason":"syntax","message":"The module is no JavaScript: SyntaxError: missing formal parameter (line 1, column 36).","where":{"line":1,"column":36}}
export default { tools: { async t( } };

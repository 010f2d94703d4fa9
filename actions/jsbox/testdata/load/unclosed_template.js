// want: {"kind":"invalid_input","reason":"syntax","message":"The module is no JavaScript: SyntaxError: unexpected end of string (line 1, column 40).","where":{"line":1,"column":40}}
export default { tools: { t() { return `abc; } } };

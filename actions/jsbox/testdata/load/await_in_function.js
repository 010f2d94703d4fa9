// want: {"kind":"invalid_input","reason":"syntax","message":"The module is no JavaScript: SyntaxError: unexpected 'await' keyword (line 1, column 33).","where":{"line":1,"column":33}}
export default { tools: { t() { await 1; } } };

// want: {"kind":"invalid_input","reason":"syntax","message":"The module is no JavaScript: SyntaxError: invalid keyword: with (line 1, column 1).","where":{"line":1,"column":1}}
with (Math) { PI }
export default {};

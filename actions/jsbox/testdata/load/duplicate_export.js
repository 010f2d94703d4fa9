// want: {"kind":"invalid_input","reason":"syntax","message":"The module is no JavaScript: SyntaxError: invalid redefinition of global identifier (line 2, column 18).","where":{"line":2,"column":18}}
export default {};
export default {};

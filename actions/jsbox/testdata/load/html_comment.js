// want: {"kind":"invalid_input","reason":"syntax","message":"The module is no JavaScript: SyntaxError: unexpected token in expression: '<' (line 1, column 1).","where":{"line":1,"column":1}}
<!-- a script may, a module may not
export default {};

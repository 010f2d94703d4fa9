// want: {"kind":"invalid_input","reason":"syntax","message":"The module is no JavaScript: SyntaxError: expecting field name (line 3, column 18).","where":{"line":3,"column":18}}
export default { tools: {
  async t(input) {
    return input.;
  },
} };

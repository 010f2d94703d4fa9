// want: {"kind":"invalid_input","reason":"threw","message":"The module threw RangeError: at the top while it was loaded (line 1, column 26).","where":{"line":1,"column":26}}
await Promise.reject(new RangeError("at the top"));
export default {};

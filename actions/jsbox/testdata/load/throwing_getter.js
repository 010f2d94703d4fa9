// want: {"kind":"invalid_input","reason":"threw","message":"The module threw Error: gotcha while it was loaded (line 1, column 42).","where":{"line":1,"column":42}}
export default { get tools() { throw new Error("gotcha"); } };

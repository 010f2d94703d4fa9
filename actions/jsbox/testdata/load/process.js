// want: {"kind":"invalid_input","reason":"threw","message":"The module threw ReferenceError: process is not defined while it was loaded (line 1, column 49).","where":{"line":1,"column":49}}
export default { tools: { t: () => 1 }, secret: process.env.HOME };

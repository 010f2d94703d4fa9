// want: {"kind":"invalid_input","reason":"threw","message":"The module threw ReferenceError: fetch is not defined while it was loaded (line 1, column 7).","where":{"line":1,"column":7}}
await fetch('https://example.com');
export default { tools: { t: () => 1 } };

// want: {"kind":"invalid_input","reason":"threw","message":"The module threw TypeError: cannot read property 'y' of undefined while it was loaded (line 3, column 1).","where":{"line":3,"column":1}}
const x = undefined;
export default { tools: { t: () => x.y } };
x.y;

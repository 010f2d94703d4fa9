// want: {"kind":"invalid_input","reason":"threw","message":"The module threw ReferenceError: require is not defined while it was loaded (line 1, column 12).","where":{"line":1,"column":12}}
const fs = require('fs');
export default { tools: { t: () => fs } };

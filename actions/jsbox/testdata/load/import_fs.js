// want: {"kind":"invalid_input","reason":"import","message":"The module imports \"node:fs\": a plugin's module stands alone, nothing can be imported (line 1, column 16).","where":{"line":1,"column":16}}
import fs from 'node:fs';
export default { tools: { t: () => fs.readFileSync('/etc/passwd', 'utf8') } };

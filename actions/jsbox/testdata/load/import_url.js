// want: {"kind":"invalid_input","reason":"import","message":"The module imports \"https://example.com/x.js\": a plugin's module stands alone, nothing can be imported (line 1, column 8).","where":{"line":1,"column":8}}
import "https://example.com/x.js";
export default { tools: { t: () => 1 } };

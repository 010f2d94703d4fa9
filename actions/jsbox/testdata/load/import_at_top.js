// want: {"kind":"invalid_input","reason":"import","message":"The module imports \"fs\": a plugin's module stands alone, nothing can be imported (line 1, column 25).","where":{"line":1,"column":25}}
const fs = await import('fs');
export default { tools: { t: () => fs } };

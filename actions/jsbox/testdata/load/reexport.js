// want: {"kind":"invalid_input","reason":"import","message":"The module imports \"./other.js\": a plugin's module stands alone, nothing can be imported (line 1, column 25).","where":{"line":1,"column":25}}
export { default } from './other.js';

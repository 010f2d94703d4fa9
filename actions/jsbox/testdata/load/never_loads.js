// want: {"kind":"invalid_input","reason":"never_settled","message":"The module never ends: it waits for a promise that nothing is left to settle."}
await new Promise(() => {});
export default {};

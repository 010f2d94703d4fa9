// want: {"kind":"invalid_input","reason":"tool_missing","message":"The module exports no function tools.t, which the manifest names."}
export default { tools: { other: () => 1 } };

// want: {"kind":"rejected","reason":"threw","message":"The tool t threw {\"code\":\"E_FULL\",\"retry\":[1,2]}, which is no Error."}
export default { tools: { async t(input, ctx) {
  throw { code: "E_FULL", retry: [1, 2] };
} } };

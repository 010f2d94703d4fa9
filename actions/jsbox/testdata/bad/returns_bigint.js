// want: {"kind":"invalid_response","reason":"output_invalid","message":"The tool t returned, at /total, a bigint: JSON has none.","where":{"pointer":"/total"}}
export default { tools: { async t(input, ctx) {
  return { total: 10n ** 30n };
} } };

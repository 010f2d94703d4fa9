// want: {"kind":"rejected","reason":"threw","message":"The tool t threw RangeError: At most 1000 timers wait at once (line 2, column 12).","where":{"line":2,"column":12}}
export default { tools: { async t(input, ctx) {
  for (;;) setTimeout(() => {}, 1e6);
} } };

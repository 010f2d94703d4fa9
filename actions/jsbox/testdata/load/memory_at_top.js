// want: {"kind":"limit","reason":"memory","message":"The module needed more than 48 MiB of memory and was stopped (line 2, column 24).","where":{"line":2,"column":24}}
const keep = [];
for (;;) keep.push(new Uint8Array(1e6));

// Copies the engine out of the package that npm brought, if it is the very file that the sandbox was made for.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const want = 'c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363'; // as in embed.go

const here = dirname(fileURLToPath(import.meta.url));
const code = readFileSync(join(here, 'node_modules', 'quickjs-wasi', 'quickjs.wasm'));
const got = createHash('sha256').update(code).digest('hex');
if (got !== want) {
  console.error(`quickjs.wasm has the SHA-256 ${got}, not ${want}: it is not used.`);
  process.exit(1);
}
mkdirSync(join(here, 'dist'), { recursive: true });
writeFileSync(join(here, 'dist', 'quickjs.wasm'), code);

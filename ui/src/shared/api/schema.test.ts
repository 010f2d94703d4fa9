// @vitest-environment node
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generate, target } from '../../../gen.mjs';
import { exactMembers } from './schema.gen.ts';

test('the generated client is that of the current API: npm run gen', async () => {
  expect(await readFile(target, 'utf8')).toBe(await generate());
});

test('what users and providers gave is kept as text', () => {
  expect([...exactMembers]).toEqual(expect.arrayContaining(['input', 'output', 'document', 'details']));
});

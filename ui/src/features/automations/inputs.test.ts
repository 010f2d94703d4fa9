import { expect, test } from 'vitest';
import { inputsOf, startText } from './inputs.ts';

const document = {
  inputs: {
    type: 'object',
    required: ['since', 'extra'],
    properties: {
      since: { type: 'string', description: 'From this day on' },
      n: { type: ['integer', 'null'] },
      mode: { enum: ['fast', 'slow'] },
    },
  },
};

test('inputs come in the order of the schema, required ones without a schema last', () => {
  expect(inputsOf(document)).toEqual([
    { name: 'since', type: 'string', required: true, description: 'From this day on' },
    { name: 'n', type: 'integer or null', required: false, description: '' },
    { name: 'mode', type: '"fast" or "slow"', required: false, description: '' },
    { name: 'extra', type: '', required: true, description: '' },
  ]);
});

test.each([
  { name: 'no document', document: null },
  { name: 'no inputs', document: { steps: [] } },
  { name: 'a schema that allows anything', document: { inputs: true } },
  { name: 'a list', document: { inputs: [] } },
])('$name declares none', ({ document: d }) => {
  expect(inputsOf(d)).toEqual([]);
});

test('the text to start from has the required inputs', () => {
  expect(startText(inputsOf(document))).toBe('{\n  "since": "",\n  "extra": null\n}');
});

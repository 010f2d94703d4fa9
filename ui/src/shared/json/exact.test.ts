import { describe, expect, test } from 'vitest';
import { type JSONText, keepExact, parseExact, readTyped, writeExact } from './exact.ts';

const names = new Set(['input', 'output']);

describe('parseExact', () => {
  test.each([
    { name: 'a large integer', text: '{"input":9007199254740993}', want: { input: '9007199254740993' } },
    { name: 'a long fraction', text: '{"input": 1.10000000000000000001 }', want: { input: '1.10000000000000000001' } },
    { name: 'an exponent', text: '{"input":1E400,"n":1}', want: { input: '1E400', n: 1 } },
    { name: 'an object', text: '{"input":{"a":[1,{"b":"}"}]},"n":2}', want: { input: '{"a":[1,{"b":"}"}]}', n: 2 } },
    { name: 'its spaces', text: '{"input": { "a" : 1 } }', want: { input: '{ "a" : 1 }' } },
    {
      name: 'a name inside a value',
      text: '{"input":{"output":10000000000000001}}',
      want: { input: '{"output":10000000000000001}' },
    },
    { name: 'null', text: '{"input":null}', want: { input: 'null' } },
    { name: 'a text', text: '{"input":"in\\"put"}', want: { input: '"in\\"put"' } },
    { name: 'a text that ends in a backslash', text: '{"input":"a\\\\","n":1}', want: { input: '"a\\\\"', n: 1 } },
    {
      name: 'an empty list',
      text: '{"steps":[{"output":[]},{"output":{}}]}',
      want: { steps: [{ output: '[]' }, { output: '{}' }] },
    },
  ])('keeps $name as it was sent', ({ text, want }) => {
    expect(parseExact(text, names)).toEqual(want);
  });

  test.each([
    { name: 'a text that reads like a member', text: '["input", "output"]', want: ['input', 'output'] },
    { name: 'other members', text: '{"count":3,"state":"input"}', want: { count: 3, state: 'input' } },
    { name: 'a member in a text', text: '{"a":"\\"input\\":1"}', want: { a: '"input":1' } },
  ])('reads $name as ever', ({ text, want }) => {
    expect(parseExact(text, names)).toEqual(want);
  });

  test('refuses what is no JSON', () => {
    expect(() => parseExact('{"input":', names)).toThrow(SyntaxError);
  });

  test('takes a large answer in one go', () => {
    const output = `[${'{"id":9007199254740993,"text":"\\"}"},'.repeat(100_000)}1]`;
    expect(parseExact(`{"output":${output}}`, names)).toEqual({ output });
  });
});

describe('writeExact', () => {
  test('puts a typed text in as the value that it holds', () => {
    const input = '{"n": 9007199254740993, "s": "a\\"b"}' as JSONText;
    expect(writeExact({ draft: true, input }, names)).toBe(`{"draft":true,"input":${input}}`);
  });

  test('undoes keepExact', () => {
    const text = '{"a":[{"input":{"x":1.0}},{"output":"\\u00e4\\\\"}],"b":"input"}';
    expect(writeExact(JSON.parse(keepExact(text, names)), names)).toBe(text);
  });
});

describe('readTyped', () => {
  test('takes one JSON value and keeps its text', () => {
    expect(readTyped(' {"n": 1.0} ')).toEqual({ ok: true, text: '{"n": 1.0}' });
  });

  test.each(['', '{', '1 2', '{"a":1}, "draft": true', "{'a':1}"])('refuses %j', (text) => {
    expect(readTyped(text)).toMatchObject({ ok: false, problem: expect.stringContaining('no JSON yet') });
  });
});

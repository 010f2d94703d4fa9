import { expect, test } from 'vitest';
import type { JSONText } from './exact.ts';
import { indent } from './indent.ts';

test.each([
  { name: 'a number', text: '9007199254740993', want: '9007199254740993' },
  { name: 'nothing inside', text: '{"a":[],"b":{}}', want: '{\n  "a": [],\n  "b": {}\n}' },
  { name: 'lists in objects', text: '{"a":[1.0,2e3]}', want: '{\n  "a": [\n    1.0,\n    2e3\n  ]\n}' },
  { name: 'signs in a text', text: '["a,b:{}[]\\"",null]', want: '[\n  "a,b:{}[]\\"",\n  null\n]' },
  { name: 'spaces between tokens', text: ' { "a" :\n1 } ', want: '{\n  "a": 1\n}' },
])('lays out $name', ({ text, want }) => {
  expect(indent(text as JSONText)).toBe(want);
});

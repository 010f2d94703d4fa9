import { expect, test } from 'vitest';
import { lengthOfTime, relativeTime, spanBetween } from './time.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  { name: 'a moment ago', at: '2026-03-01T11:59:58Z', want: 'just now' },
  { name: "a server's clock that is ahead", at: '2026-03-01T12:00:03Z', want: 'just now' },
  { name: 'seconds', at: '2026-03-01T11:59:30Z', want: '30 seconds ago' },
  { name: 'minutes', at: '2026-03-01T11:57:10Z', want: '2 minutes ago' },
  { name: 'ahead', at: '2026-03-01T14:00:00Z', want: 'in 2 hours' },
  { name: 'yesterday', at: '2026-02-28T11:00:00Z', want: 'yesterday' },
])('says $name', ({ at, want }) => {
  expect(relativeTime(at, now)).toBe(want);
});

test.each([
  { ms: -3, want: '0 ms' },
  { ms: 340, want: '340 ms' },
  { ms: 1999, want: '1.9 s' },
  { ms: 59_999, want: '59.9 s' },
  { ms: 192_000, want: '3 min 12 s' },
  { ms: 7_500_000, want: '2 h 5 min' },
])('$ms ms are $want', ({ ms, want }) => {
  expect(lengthOfTime(ms)).toBe(want);
});

test('a span without an end lasts until now, one without a start is none', () => {
  expect(spanBetween('2026-03-01T11:59:58Z', null, now)).toBe('2.0 s');
  expect(spanBetween(null, null, now)).toBeNull();
});

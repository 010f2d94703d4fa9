import { expect, test } from 'vitest';
import { aStep } from '../../../test/runs.ts';
import { rowsOf, treeOf } from './tree.ts';
import { wishOf } from './treeKeys.ts';

const steps = [aStep('a'), aStep('each'), aStep('each.0.t'), aStep('z')];
// a, each, Item 1, t, z
const rows = rowsOf(treeOf(steps), new Set());
// a, each, z
const closed = rowsOf(treeOf(steps), new Set(['each']));

test.each([
  { name: 'down', key: 'ArrowDown', at: 0, in: rows, want: { do: 'select', path: 'each' } },
  { name: 'down at the end', key: 'ArrowDown', at: 4, in: rows, want: { do: 'select', path: 'z' } },
  { name: 'down from nowhere', key: 'ArrowDown', at: -1, in: rows, want: { do: 'select', path: 'a' } },
  { name: 'up', key: 'ArrowUp', at: 1, in: rows, want: { do: 'select', path: 'a' } },
  { name: 'home', key: 'Home', at: 3, in: rows, want: { do: 'select', path: 'a' } },
  { name: 'end', key: 'End', at: 0, in: rows, want: { do: 'select', path: 'z' } },
  { name: 'right on a closed row', key: 'ArrowRight', at: 1, in: closed, want: { do: 'toggle', path: 'each' } },
  { name: 'right on an open row', key: 'ArrowRight', at: 1, in: rows, want: { do: 'select', path: 'each.0' } },
  { name: 'right on a leaf', key: 'ArrowRight', at: 0, in: rows, want: null },
  { name: 'left on an open row', key: 'ArrowLeft', at: 1, in: rows, want: { do: 'toggle', path: 'each' } },
  { name: 'left on a leaf', key: 'ArrowLeft', at: 3, in: rows, want: { do: 'select', path: 'each.0' } },
  { name: 'enter on a loop', key: 'Enter', at: 1, in: rows, want: { do: 'toggle', path: 'each' } },
  { name: 'enter on a leaf', key: 'Enter', at: 0, in: rows, want: null },
  { name: 'a letter', key: 'x', at: 0, in: rows, want: null },
  { name: 'down in an empty tree', key: 'ArrowDown', at: -1, in: [], want: null },
])('$name', ({ key, at, in: shown, want }) => {
  expect(wishOf(key, shown, at)).toEqual(want);
});

import { describe, expect, test } from 'vitest';
import { aStep } from '../../../test/runs.ts';
import type { Step } from '../../shared/api/run.ts';
import { around, flipped, opened, problemsIn, rowsOf, stateOf, treeOf } from './tree.ts';

/** The lines of the tree as text. */
function draw(steps: Step[], changed: ReadonlySet<string> = new Set()): string[] {
  return rowsOf(treeOf(steps), changed).map(({ node, level, open }) => {
    const sign = open === null ? '-' : open ? 'v' : '>';
    return `${'  '.repeat(level - 1)}${sign} ${node.kind === 'step' ? node.id : node.label} ${stateOf(node)}`;
  });
}

function items(count: number, bad = -1): Step[] {
  return Array.from({ length: count }, (_, i) => aStep(`each.${i}.t`, i === bad ? 'failed' : 'succeeded'));
}

describe('treeOf', () => {
  test('puts steps into the items of their loops, items in order', () => {
    expect(
      draw([aStep('a'), aStep('each', 'running'), aStep('each.1.t', 'running'), aStep('each.0.t'), aStep('z')]),
    ).toEqual([
      '- a succeeded',
      'v each running',
      '  v Item 1 succeeded',
      '    - t succeeded',
      '  v Item 2 running',
      '    - t running',
      '- z succeeded',
    ]);
  });

  test('nests loops', () => {
    expect(draw([aStep('o'), aStep('o.0.i'), aStep('o.0.i.11.t', 'unknown')])).toEqual([
      'v o succeeded',
      '  v Item 1 succeeded',
      '    v i succeeded',
      '      v Item 12 unknown',
      '        - t unknown',
    ]);
  });

  test('shows the rounds of a retry that starts over', () => {
    expect(draw([aStep('again'), aStep('again~2.t', 'failed')])).toEqual([
      'v again succeeded',
      '  v Round 2 failed',
      '    - t failed',
    ]);
  });

  test('makes a place for a loop that was not read yet', () => {
    expect(draw([aStep('each.3.t', 'waiting')])).toEqual(['v each waiting', '  v Item 4 waiting', '    - t waiting']);
  });
});

describe('rowsOf', () => {
  test('keeps the items of a long loop closed', () => {
    expect(draw([aStep('each'), ...items(20_000)])).toHaveLength(20_001);
  });

  test('opens and closes against the usual', () => {
    const steps = [aStep('each'), ...items(13)];
    expect(draw(steps, new Set(['each.1']))[3]).toBe('    - t succeeded');
    expect(draw(steps, new Set(['each']))).toEqual(['> each succeeded']);
  });
});

test('what is around a path, outermost first', () => {
  expect(around('o.0.again~2.t')).toEqual(['o', 'o.0', 'o.0.again', 'o.0.again~2']);
  expect(around('t')).toEqual([]);
});

test('opening for a path opens all that is around it, and no more', () => {
  const roots = treeOf([aStep('each'), ...items(13)]);
  expect(opened(roots, new Set(['each']), 'each.4.t')).toEqual(new Set(['each.4']));
});

test('flipped puts in and takes out', () => {
  expect(flipped(flipped(new Set(), 'a'), 'a')).toEqual(new Set());
});

test('problems are the steps themselves, not the loops around them', () => {
  const steps = [aStep('a', 'unknown'), aStep('each', 'failed'), ...items(30, 17)];
  expect(problemsIn(treeOf(steps))).toEqual(['a', 'each.17.t']);
});

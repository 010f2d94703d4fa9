import { describe, expect, test } from 'vitest';
import { aStep } from '../../../test/runs.ts';
import type { RunState, Step } from '../../shared/api/run.ts';
import { flipped, opened, problemsIn, rowsOf, stateOf, treeOf } from './tree.ts';

/** The lines of the tree as text. */
function draw(steps: Step[], changed: ReadonlySet<string> = new Set(), run: RunState = 'running'): string[] {
  return rowsOf(treeOf(steps, run), changed).map(({ node, level, open }) => {
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

  test('shows the rounds of a retry that starts over side by side', () => {
    expect(
      draw([
        aStep('again'),
        aStep('t', 'failed', { inside: 'again' }),
        aStep('again~2.t', 'succeeded', { inside: 'again' }),
      ]),
    ).toEqual([
      'v again succeeded',
      '  v Round 1 failed',
      '    - t failed',
      '  v Round 2 succeeded',
      '    - t succeeded',
    ]);
  });

  test('nests what stands in a step, in the order of the document', () => {
    expect(
      draw([
        aStep('each.0.b', 'failed', { inside: 'again', place: 3 }),
        aStep('each.0.a', 'succeeded', { inside: 'again', place: 2 }),
        aStep('each', 'failed', { place: 0 }),
        aStep('each.0.again', 'failed', { inside: 'each', place: 1 }),
      ]),
    ).toEqual(['v each failed', '  v Item 1 failed', '    v again failed', '      - a succeeded', '      - b failed']);
  });

  test('shows the parts of a branch; what was decided against is closed', () => {
    const steps = [
      aStep('way', 'running', { place: 0 }),
      aStep('c', 'skipped', { inside: 'way', arm: 'otherwise', place: 3 }),
      aStep('a', 'succeeded', { inside: 'way', arm: 'case 1', place: 1 }),
      aStep('b', 'pending', { inside: 'way', arm: 'case 1', place: 2 }),
    ];
    const shown = [
      'v way running',
      '  v Case 1 running',
      '    - a succeeded',
      '    - b pending',
      '  > Otherwise skipped',
    ];
    expect(draw(steps)).toEqual(shown);
    expect(draw(steps, new Set(), 'cancelled')[1]).toBe('  v Case 1 cancelled');
  });

  test('puts catch and finally behind the body of a try', () => {
    const steps = [
      aStep('f', 'pending', { inside: 'guard', arm: 'finally', place: 3 }),
      aStep('c', 'skipped', { inside: 'guard', arm: 'catch', place: 2 }),
      aStep('a', 'succeeded', { inside: 'guard', place: 1 }),
      aStep('guard', 'running', { place: 0 }),
    ];
    expect(draw(steps)).toEqual([
      'v guard running',
      '  - a succeeded',
      '  > Catch skipped',
      '  v Finally pending',
      '    - f pending',
    ]);
  });

  test('shows the body of a loop that has not begun, until it has items', () => {
    const body = aStep('each.*.t', 'pending', { inside: 'each' });
    expect(draw([aStep('each', 'pending'), body])).toEqual([
      'v each pending',
      '  v Each item pending',
      '    - t pending',
    ]);
    expect(draw([aStep('each', 'running', { count: 0 }), body])).toEqual(['- each running']);
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

test('opening for a path opens all that is around it, and no more', () => {
  const roots = treeOf([aStep('each'), ...items(13)]);
  expect(opened(roots, new Set(['each']), 'each.4.t')).toEqual(new Set(['each.4']));
});

test('opening for a path opens what was decided against', () => {
  const roots = treeOf([
    aStep('way', 'succeeded'),
    aStep('each', 'skipped', { inside: 'way', arm: 'otherwise' }),
    aStep('each.*.t', 'skipped', { inside: 'each' }),
  ]);
  expect(opened(roots, new Set(), 'each.*.t')).toEqual(new Set(['way/otherwise', 'each', 'each.*']));
});

test('flipped puts in and takes out', () => {
  expect(flipped(flipped(new Set(), 'a'), 'a')).toEqual(new Set());
});

test('problems are the steps themselves, not the loops around them', () => {
  const steps = [aStep('a', 'unknown'), aStep('each', 'failed'), ...items(30, 17)];
  expect(problemsIn(treeOf(steps))).toEqual(['a', 'each.17.t']);
});

test('what was caught is no problem', () => {
  const steps = [aStep('guard', 'succeeded'), aStep('a', 'failed', { inside: 'guard' }), aStep('z', 'failed')];
  expect(problemsIn(treeOf(steps))).toEqual(['z']);
});

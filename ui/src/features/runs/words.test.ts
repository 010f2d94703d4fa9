import { describe, expect, test } from 'vitest';
import { aRun, aStep } from '../../../test/runs.ts';
import type { Attempt, Run, Step } from '../../shared/api/run.ts';
import type { JSONText } from '../../shared/json/exact.ts';
import { seeRun } from './view.ts';
import { placeOf, sentenceOf, stepOfInterest } from './words.ts';

const now = Date.parse('2026-03-01T12:02:12Z');
const tried: Attempt = {
  n: 1,
  state: 'answered',
  started_at: '',
  finished_at: null,
  status: 500,
  error: null,
  request: null,
  call: null,
};

function say(state: Run['state'], steps: Step[] = [], more: Partial<Run> = {}): string {
  return sentenceOf(seeRun(undefined, aRun(state, { steps, ...more })), now);
}

const loop = aStep('each', 'failed', { count: 40 });
const ticket = aStep('each.16.ticket', 'failed', { name: 'Create ticket', attempts: [tried] });
const wait = {
  for: 'hold' as const,
  since: '2026-03-01T11:02:12Z',
  until: null,
  path: 'a',
  key: 'developer.desk.v2-1-0',
};

describe('sentenceOf', () => {
  test.each([
    { name: 'queued', got: say('queued'), want: 'Queued 3 minutes ago; it starts as soon as a worker is free.' },
    { name: 'running', got: say('running', [aStep('a', 'running', { name: 'List' })]), want: 'Running at List.' },
    {
      name: 'stuck',
      got: say('running', [], { stuck: 'No worker took it.' }),
      want: 'Running, but without progress: No worker took it.',
    },
    { name: 'succeeded', got: say('succeeded'), want: 'Succeeded 3 minutes ago after 12.0 s.' },
    {
      name: 'failed in a loop',
      got: say('failed', [loop, ticket]),
      want: 'Failed 3 minutes ago after 12.0 s at Create ticket (each, item 17 of 40).',
    },
    {
      name: 'held',
      got: say('waiting', [aStep('a', 'waiting')], { waiting: wait }),
      want: 'Waiting at a for developer.desk.v2-1-0 to come back: restore the binding, and the run goes on by itself. It began to wait 1 hour ago.',
    },
    {
      name: 'a timer',
      got: say('waiting', [aStep('a', 'waiting')], {
        waiting: { ...wait, for: 'timer', until: '2026-03-01T13:02:12Z' },
      }),
      want: 'Waiting at a for its time to come, until in 1 hour. It began to wait 1 hour ago.',
    },
    {
      name: 'cancelled',
      got: say('cancelled', [], { cancel: { by: 'Ana', at: '2026-03-01T12:01:12Z' } }),
      want: 'Cancelled 3 minutes ago after 12.0 s, by Ana.',
    },
  ])('$name', ({ got, want }) => {
    expect(got).toBe(want);
  });

  test('says what a person must do about an unknown outcome', () => {
    expect(say('needs_attention', [aStep('t', 'unknown')])).toMatch(/^Stopped at t: .* then settle it\.$/);
  });

  test('says who cancelled a run that has not ended yet', () => {
    expect(say('running', [], { cancel: { by: 'Ana', at: '2026-03-01T12:01:12Z' } })).toMatch(
      /^Ana cancelled it 1 minute ago/,
    );
  });
});

test('the step of interest is the action, not the loop around it', () => {
  expect(stepOfInterest(seeRun(undefined, aRun('failed', { steps: [loop, ticket] })))?.path).toBe('each.16.ticket');
});

test('a failed run is about the step that its error names, not about one whose failure was caught', () => {
  const details = '{"path": "b"}' as JSONText;
  const error = { kind: 'rejected', message: 'No.', retryable: false, details } as const;
  const steps = [
    aStep('guard', 'failed', { type: 'try' }),
    aStep('a', 'failed', { attempts: [tried] }),
    aStep('b', 'failed'),
  ];
  expect(stepOfInterest(seeRun(undefined, aRun('failed', { steps, error })))?.path).toBe('b');
});

test('a step says more than the one around it', () => {
  const steps = [aStep('guard', 'running', { type: 'try' }), aStep('a', 'running', { type: 'wait' })];
  expect(stepOfInterest(seeRun(undefined, aRun('running', { steps })))?.path).toBe('a');
});

test('a place names each loop around it', () => {
  const steps = new Map([['o.1.i', aStep('o.1.i', 'running', { count: 3 })]]);
  expect(placeOf('o.1.i.2.t', steps)).toBe('t (o, item 2; i, item 3 of 3)');
});

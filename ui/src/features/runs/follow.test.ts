import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRun, aStep } from '../../../test/runs.ts';
import type { Run, Step } from '../../shared/api/run.ts';
import { follow } from './follow.ts';

/** The browser's EventSource, without a server. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static all: FakeSource[] = [];
  readyState = 0;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    FakeSource.all.push(this);
  }

  close() {
    this.readyState = FakeSource.CLOSED;
  }

  say(event: string, data: string) {
    this.dispatchEvent(new MessageEvent(event, { data }));
  }

  /** A cut connection, which the browser opens again, or a refusal, which it doesn't. */
  fail(readyState: 0 | 2) {
    this.readyState = readyState;
    this.dispatchEvent(new Event('error'));
  }
}

function listen() {
  const heard = { runs: [] as Run[], steps: [] as Step[][], links: [] as string[], polls: 0 };
  const stop = follow('/events', {
    onRun: (run) => heard.runs.push(run),
    onSteps: (steps) => heard.steps.push(steps),
    onLink: (link) => heard.links.push(link),
    onPoll: () => heard.polls++,
  });
  return { heard, stop, source: FakeSource.all.at(-1) as FakeSource };
}

/** The text of an event, with a number that JavaScript could not hold. */
function sent(value: unknown): string {
  return JSON.stringify(value).replaceAll('"null"', '9007199254740993');
}

beforeEach(() => {
  FakeSource.all = [];
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeSource);
});

afterEach(() => {
  vi.useRealTimers();
});

test('tells of the run, then of steps together, with all their digits', () => {
  const { heard, source } = listen();
  source.say('run', sent(aRun('running')));
  source.say('step', sent({ run: 'r', step: aStep('a') }));
  source.say('step', sent({ run: 'r', step: aStep('b') }));
  expect(heard.steps).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(heard.steps.map((steps) => steps.map((step) => `${step.path} ${step.output}`))).toEqual([
    ['a 9007199254740993', 'b 9007199254740993'],
  ]);
  expect(heard.runs[0]?.input).toBe('9007199254740993');
  expect(heard.links).toEqual(['connecting', 'live']);
});

test('tells of the last steps before the end, then closes', () => {
  const { heard, source } = listen();
  source.say('step', sent({ run: 'r', step: aStep('a') }));
  source.say('run', sent(aRun('succeeded')));
  expect(heard.steps).toHaveLength(1);
  expect(heard.links.at(-1)).toBe('ended');
  expect(source.readyState).toBe(FakeSource.CLOSED);
  vi.advanceTimersByTime(60_000);
  expect(heard.polls).toBe(0);
});

test('asks while a cut stream comes back, and stops asking then', () => {
  const { heard, source } = listen();
  source.say('run', sent(aRun('running')));
  source.fail(0);
  vi.advanceTimersByTime(4_000);
  expect(heard.polls).toBe(3);
  expect(heard.links.at(-1)).toBe('polling');
  source.say('run', sent(aRun('running')));
  vi.advanceTimersByTime(60_000);
  expect(heard.polls).toBe(3);
  expect(heard.links.at(-1)).toBe('live');
});

test('opens a refused stream again after a while', () => {
  const { heard, source } = listen();
  source.fail(2);
  expect(heard.links.at(-1)).toBe('polling');
  vi.advanceTimersByTime(10_000);
  expect(FakeSource.all).toHaveLength(2);
});

test('asks when a stream stays silent, as behind a proxy that holds it back', () => {
  const { heard } = listen();
  vi.advanceTimersByTime(5_000);
  expect(heard.polls).toBe(1);
});

test('stop ends everything', () => {
  const { heard, stop, source } = listen();
  source.fail(2);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(heard.polls).toBe(1);
  expect(FakeSource.all).toHaveLength(1);
});

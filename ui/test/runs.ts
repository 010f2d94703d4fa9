import type { Run, Step } from '../src/shared/api/run.ts';
import type { JSONText } from '../src/shared/json/exact.ts';

const nothing = 'null' as JSONText;

/** A step as the API gives it. */
export function aStep(path: string, state: Step['state'] = 'succeeded', more: Partial<Step> = {}): Step {
  return {
    path,
    id: path.slice(path.lastIndexOf('.') + 1),
    place: 0,
    state,
    attempts: [],
    input: nothing,
    output: nothing,
    error: null,
    started_at: '2026-03-01T11:59:00Z',
    finished_at: '2026-03-01T11:59:01Z',
    ...more,
  };
}

/** A run as the API gives it. */
export function aRun(state: Run['state'], more: Partial<Run> = {}): Run {
  const isOver = state === 'succeeded' || state === 'failed' || state === 'cancelled';
  return {
    id: '01890000-0000-7000-8000-000000000001',
    automation: 'order-to-ticket',
    version: 3,
    state,
    error: null,
    created_at: '2026-03-01T11:58:59Z',
    started_at: '2026-03-01T11:59:00Z',
    finished_at: isOver ? '2026-03-01T11:59:12Z' : null,
    waiting: null,
    trigger: 'manual',
    started_by: 'Ana',
    digest: 'ab'.repeat(32),
    input: nothing,
    output: nothing,
    steps: [],
    ...more,
  };
}

import type { RunHead, Step } from '../../shared/api/run.ts';
import { lengthOfTime, relativeTime } from '../../shared/ui/time.ts';
import type { RunView } from './view.ts';

/** The name that people gave a step, or else its id. */
export function nameOf(step: Pick<Step, 'id' | 'name'>): string {
  return step.name || step.id;
}

/** Where in the run a position is: "Create ticket (each, item 17 of 40)". */
export function placeOf(path: string, steps: ReadonlyMap<string, Step>): string {
  const step = steps.get(path);
  const name = step ? nameOf(step) : path.slice(path.lastIndexOf('.') + 1);
  const items = [...path.matchAll(/(?:^|\.)([^.~]+)\.(\d+)(?=\.)/g)].map((match) => {
    const loop = path.slice(0, match.index + match[0].length).replace(/\.\d+$/, '');
    const count = steps.get(loop)?.count;
    return `${match[1]}, item ${Number(match[2]) + 1}${count === undefined ? '' : ` of ${count}`}`;
  });
  return items.length === 0 ? name : `${name} (${items.join('; ')})`;
}

/** The step that a run's sentence is about: what failed, is unknown, waits or runs; undefined for none. */
export function stepOfInterest(view: RunView): Step | undefined {
  const wanted: Record<string, Step['state']> = {
    failed: 'failed',
    needs_attention: 'unknown',
    waiting: 'waiting',
    running: 'running',
  };
  const state = wanted[view.run.state];
  if (state === undefined) return undefined;
  const known = state === 'failed' ? failedAt(view.run) : state === 'waiting' ? view.run.waiting?.path : undefined;
  if (known !== undefined && view.steps.has(known)) return view.steps.get(known);
  const found = [...view.steps.values()].filter((step) => step.state === state);
  // A container shares the state of what is inside: an action says more, and any step does.
  return found.find((step) => step.attempts.length > 0) ?? found.find((step) => !holdsSteps(step)) ?? found[0];
}

function holdsSteps({ type }: Step): boolean {
  return type === 'branch' || type === 'each' || type === 'parallel' || type === 'retry' || type === 'try';
}

/** The position that a run failed at, as its error says. */
function failedAt({ error }: Pick<RunHead, 'error'>): string | undefined {
  const details: unknown = error?.details === undefined ? null : JSON.parse(error.details);
  const path = typeof details === 'object' && details !== null && 'path' in details ? details.path : undefined;
  return typeof path === 'string' ? path : undefined;
}

const waits: Record<NonNullable<RunHead['waiting']>['for'], (key: string) => string> = {
  timer: () => 'for its time to come',
  retry: () => 'for its next attempt',
  hold: (key) => `for ${key || 'its connection'} to come back: restore the binding, and the run goes on by itself`,
  settle: () => 'for somebody to settle its outcome',
  approval: () => 'for an approval',
  event: (key) => `for the event ${key}`,
  call: () => 'for the automation that it called',
};

function waitWords(view: RunView, now: number): string {
  const { waiting } = view.run;
  if (!waiting) return 'Waiting.';
  const at = waiting.path ? ` at ${placeOf(waiting.path, view.steps)}` : '';
  const until = waiting.until ? `, until ${relativeTime(waiting.until, now)}` : '';
  return `Waiting${at} ${waits[waiting.for](waiting.key ?? '')}${until}. It began to wait ${relativeTime(waiting.since, now)}.`;
}

function endWords(verb: string, run: RunHead, now: number): string {
  const when = run.finished_at ? ` ${relativeTime(run.finished_at, now)}` : '';
  const took = run.started_at && run.finished_at ? Date.parse(run.finished_at) - Date.parse(run.started_at) : null;
  return `${verb}${when}${took === null ? '' : ` after ${lengthOfTime(took)}`}`;
}

/** The state of a run in one sentence: what, where, since when, and what goes on from here. */
export function sentenceOf(view: RunView, now: number): string {
  const { run } = view;
  const step = stepOfInterest(view);
  const at = step ? ` at ${placeOf(step.path, view.steps)}` : '';
  if (run.cancel && run.finished_at === null) {
    return `${run.cancel.by || 'Somebody'} cancelled it ${relativeTime(run.cancel.at, now)}: what is on its way ends and is recorded, then steps of finally run.`;
  }
  switch (run.state) {
    case 'queued':
      return `Queued ${relativeTime(run.created_at, now)}; it starts as soon as a worker is free.`;
    case 'running':
      return run.stuck ? `Running${at}, but without progress: ${run.stuck}` : `Running${at}.`;
    case 'waiting':
      return waitWords(view, now);
    case 'needs_attention':
      return `Stopped${at}: nobody knows whether its request took effect. See on the other side, then settle it.`;
    case 'succeeded':
      return `${endWords('Succeeded', run, now)}.`;
    case 'failed':
      return `${endWords('Failed', run, now)}${at}.`;
    case 'cancelled':
      return `${endWords('Cancelled', run, now)}${run.cancel?.by ? `, by ${run.cancel.by}` : ''}.`;
  }
}

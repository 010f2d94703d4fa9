import type { Run, Step } from '../../shared/api/run.ts';

/** A run as its page holds it: the run, and its steps by their paths, by first sight. */
export interface RunView {
  run: Omit<Run, 'steps' | 'steps_next'>;
  steps: ReadonlyMap<string, Step>;
  /** The cursor of steps that weren't read yet; null when these are all. */
  next: string | null;
}

function withSteps(before: ReadonlyMap<string, Step>, steps: Iterable<Step>): ReadonlyMap<string, Step> {
  const after = new Map(before);
  for (const step of steps) after.set(step.path, step);
  return after;
}

/** The view with a run object as it came: with the first page of steps. Further steps that are known stay. */
export function seeRun(before: RunView | undefined, run: Run): RunView {
  const { steps, steps_next: next, ...head } = run;
  return {
    run: head,
    steps: withSteps(before?.steps ?? new Map(), steps),
    next: before === undefined ? (next ?? null) : before.next,
  };
}

/** The view with steps that changed or came. */
export function seeSteps(before: RunView, steps: Iterable<Step>): RunView {
  return { ...before, steps: withSteps(before.steps, steps) };
}

/** The view with a further page of steps. */
export function seePage(before: RunView, page: Run): RunView {
  return { ...seeSteps(before, page.steps), next: page.steps_next ?? null };
}

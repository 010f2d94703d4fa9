import type { Run, Step } from '../../shared/api/run.ts';
import { exactMembers } from '../../shared/api/schema.gen.ts';
import { parseExact } from '../../shared/json/exact.ts';

/** How the page hears of a run's progress. */
export type Link = 'connecting' | 'live' | 'polling' | 'ended';

/** What a follower is told. */
export interface Follower {
  onRun: (run: Run) => void;
  onSteps: (steps: Step[]) => void;
  onLink: (link: Link) => void;
  /** Asks for a look at the run by a plain request, while no stream brings news. */
  onPoll: () => void;
}

/** Steps that come within this time are told together, in milliseconds. */
const gather = 150;
/** How often to ask while no stream brings news, in milliseconds. */
const pollEvery = 2_000;
/** How long a stream may take to its first event before asking starts, in milliseconds. */
const patience = 4_000;
/** The pause before a stream that was refused is opened again, in milliseconds. */
const reopenAfter = 8_000;

/**
 * Follows a run by server-sent events (WHATWG HTML, section 9.2) until it has ended or stop is called. The browser
 * reconnects by itself after a cut; while there is no stream, onPoll is called at intervals.
 */
export function follow(address: string, follower: Follower): () => void {
  let source: EventSource | null = null;
  let steps: Step[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let opening: ReturnType<typeof setTimeout> | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    clearTimeout(flushing);
    flushing = undefined;
    if (steps.length > 0) follower.onSteps(steps);
    steps = [];
  };
  const stopPolling = () => {
    clearInterval(polling);
    clearTimeout(waiting);
    polling = undefined;
  };
  const poll = () => {
    if (polling !== undefined) return;
    follower.onLink('polling');
    follower.onPoll();
    polling = setInterval(follower.onPoll, pollEvery);
  };
  const stop = () => {
    source?.close();
    stopPolling();
    clearTimeout(opening);
    clearTimeout(flushing);
  };
  const hearRun = (event: MessageEvent<string>) => {
    stopPolling();
    flush();
    const run = parseExact(event.data, exactMembers) as Run;
    follower.onRun(run);
    follower.onLink(run.finished_at === null ? 'live' : 'ended');
    if (run.finished_at !== null) stop();
  };
  const hearStep = (event: MessageEvent<string>) => {
    steps.push((parseExact(event.data, exactMembers) as { step: Step }).step);
    flushing ??= setTimeout(flush, gather);
  };
  const open = () => {
    source = new EventSource(address);
    source.addEventListener('run', hearRun);
    source.addEventListener('step', hearStep);
    source.addEventListener('error', () => {
      poll();
      if (source?.readyState === EventSource.CLOSED) opening = setTimeout(open, reopenAfter);
    });
    clearTimeout(waiting);
    waiting = setTimeout(poll, patience);
  };

  follower.onLink('connecting');
  open();
  return stop;
}

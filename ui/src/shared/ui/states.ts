import type { Attempt, RunState, StepState } from '../api/run.ts';

/** The colours that mean a state; StateMark.module.css has a class for each. */
export type Tone = 'neutral' | 'blue' | 'amber' | 'violet' | 'green' | 'red';

/** The shapes that go with them, so that a state is never colour alone. */
export type Shape = 'dots' | 'turning' | 'clock' | 'hand' | 'question' | 'check' | 'cross' | 'skip' | 'stop';

/** How a state looks and reads. */
export interface Look {
  word: string;
  tone: Tone;
  shape: Shape;
}

const runs: Record<RunState, Look> = {
  queued: { word: 'Queued', tone: 'neutral', shape: 'dots' },
  running: { word: 'Running', tone: 'blue', shape: 'turning' },
  waiting: { word: 'Waiting', tone: 'amber', shape: 'clock' },
  needs_attention: { word: 'Needs attention', tone: 'violet', shape: 'hand' },
  succeeded: { word: 'Succeeded', tone: 'green', shape: 'check' },
  failed: { word: 'Failed', tone: 'red', shape: 'cross' },
  cancelled: { word: 'Cancelled', tone: 'neutral', shape: 'stop' },
};

const steps: Record<StepState, Look> = {
  pending: { word: 'Pending', tone: 'neutral', shape: 'dots' },
  running: { word: 'Running', tone: 'blue', shape: 'turning' },
  waiting: { word: 'Waiting', tone: 'amber', shape: 'clock' },
  succeeded: { word: 'Succeeded', tone: 'green', shape: 'check' },
  failed: { word: 'Failed', tone: 'red', shape: 'cross' },
  skipped: { word: 'Skipped', tone: 'neutral', shape: 'skip' },
  unknown: { word: 'Outcome unknown', tone: 'violet', shape: 'question' },
  cancelled: { word: 'Cancelled', tone: 'neutral', shape: 'stop' },
};

const attempts: Record<Attempt['state'], Look> = {
  sending: { word: 'Sending', tone: 'blue', shape: 'turning' },
  not_sent: { word: 'Not sent', tone: 'neutral', shape: 'stop' },
  answered: { word: 'Answered', tone: 'green', shape: 'check' },
  unknown: { word: 'Outcome unknown', tone: 'violet', shape: 'question' },
  lost: { word: 'Lost, safe to send again', tone: 'amber', shape: 'dots' },
};

/** All states of a run, in the order that a filter lists them. */
export const runStates = Object.keys(runs) as RunState[];

export const runLook = (state: RunState): Look => runs[state];

/** What has not begun in a run that has ended was not reached. */
export function stepLook(state: StepState, goesOn: boolean): Look {
  return state === 'pending' && !goesOn ? { ...steps.pending, word: 'Not reached' } : steps[state];
}

/** An answer that is an error is red, though it was an answer. */
export function attemptLook(attempt: Attempt): Look {
  const look = attempts[attempt.state];
  return attempt.state === 'answered' && attempt.error ? { ...look, tone: 'red', shape: 'cross' } : look;
}

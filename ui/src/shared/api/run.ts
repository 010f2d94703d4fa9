import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];

/** A run without its steps, as lists show it. */
export type RunHead = Schemas['RunHead'];

/** A run with a page of its steps. */
export type Run = Schemas['Run'];

/** A position of a run: a step at one set of loop indexes. */
export type Step = Schemas['Step'];

/** One try of a step. */
export type Attempt = Schemas['Attempt'];

/** What an attempt sent. */
export type SentRequest = Schemas['SentRequest'];

/** What a call of a tool logged and requested. */
export type ToolCall = Schemas['ToolCall'];

/** One request of a tool. */
export type ToolRequest = Schemas['ToolRequest'];

/** An error as a run keeps it. */
export type StepError = Schemas['StepError'];

/** The states of a run (docs/api.md). */
export type RunState = RunHead['state'];

/** The states of a step. */
export type StepState = Step['state'];

/** Whether a run in this state goes on or can go on. */
export function isLive(state: RunState): boolean {
  return state !== 'succeeded' && state !== 'failed' && state !== 'cancelled';
}

/** What a run carries out: an automation, or, for a call of an agent, an action. */
export function subjectOf(run: Pick<RunHead, 'automation' | 'action'>): string {
  return run.automation || (run.action ?? '');
}

/** What of its subject a run follows. */
export function followedBy(run: Pick<RunHead, 'version' | 'action'>): string {
  if (run.action) return 'call of an agent';
  return run.version === null ? 'draft' : `v${run.version}`;
}

import type { components } from './schema.gen.ts';

/** Problem details (RFC 9457) as the API gives them. */
export type Problem = components['schemas']['Problem'];

/** The part of the material that an error is about. */
export type Where = components['schemas']['Where'];

/** A call that was refused, with the API's words for it. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The problem when no answer came at all. */
export function unreachable(): Problem {
  return {
    type: 'about:blank',
    title: 'No answer',
    status: 0,
    detail: "Pawl doesn't answer. See whether it runs and whether this computer reaches it, then try again.",
    kind: 'network',
    retryable: true,
  };
}

/** The problem of any error that a query or mutation ended with. */
export function problemOf(error: Error): Problem {
  if (error instanceof ProblemError) return error.problem;
  return {
    ...unreachable(),
    title: 'Error',
    detail: `This page came upon an error of its own: ${error.message}`,
    kind: 'internal',
    retryable: false,
  };
}

/** Whether the caller has to sign in. */
export function wantsSignIn(error: Error): boolean {
  return error instanceof ProblemError && error.problem.kind === 'unauthenticated';
}

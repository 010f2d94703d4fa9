import createClient from 'openapi-fetch';
import { type JSONText, keepExact, writeExact } from '../json/exact.ts';
import { type Problem, ProblemError, unreachable } from './problem.ts';
import { exactMembers, type paths } from './schema.gen.ts';

/** The API of the server that these pages came from. The session cookie goes along by itself. */
export const api = createClient<paths>({
  baseUrl: globalThis.location.origin,
  bodySerializer: (body) => writeExact(body, exactMembers),
  // Looked up with each call, so that a test can put another in its place.
  fetch: (request) => globalThis.fetch(request),
});

api.use({
  async onResponse({ response }) {
    if (!response.headers.get('Content-Type')?.includes('json')) return undefined;
    const { status, statusText, headers } = response;
    const body = keepExact(await response.text(), exactMembers);
    return new Response(body, { status, statusText, headers });
  },
});

/** What a call of the client ends with. */
interface Outcome<T> {
  data?: T | undefined;
  error?: unknown;
  response: Response;
}

/** The client's types take every text apart, JSONText too; this puts it back. */
type Kept<T> = T extends { readonly isJSONText: unknown }
  ? JSONText
  : T extends (infer E)[]
    ? Kept<E>[]
    : T extends object
      ? { [K in keyof T]: Kept<T[K]> }
      : T;

/** The answer of a call; throws a ProblemError when it was refused or nobody answered. */
export async function answer<T>(call: Promise<Outcome<T>>): Promise<Kept<T>> {
  let outcome: Outcome<T>;
  try {
    outcome = await call;
  } catch (error) {
    throw new ProblemError(unreachable(), { cause: error });
  }
  if (!outcome.response.ok) throw new ProblemError(asProblem(outcome));
  return outcome.data as Kept<T>;
}

/** What a proxy answers in the server's place is no problem document. */
function asProblem({ error, response }: Outcome<unknown>): Problem {
  const isProblem = typeof error === 'object' && error !== null && 'kind' in error && 'detail' in error;
  return isProblem ? (error as Problem) : { ...unreachable(), status: response.status };
}

import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { answer, api } from './client.ts';
import { wantsSignIn } from './problem.ts';
import type { components } from './schema.gen.ts';

/** Who is signed in. */
export type Me = components['schemas']['Me'];

async function read(): Promise<Me | null> {
  try {
    return await answer(api.GET('/api/v1/me'));
  } catch (error) {
    if (error instanceof Error && wantsSignIn(error)) return null;
    throw error;
  }
}

/** Who is signed in; null for nobody. */
export const meQuery = queryOptions({ queryKey: ['me'], queryFn: read, staleTime: 60_000 });

/** What the caller may do in a project: the words of the API's permissions. */
export function usePermissions(project: string): ReadonlySet<string> {
  const { data } = useSuspenseQuery(meQuery);
  return new Set(data?.projects.find((p) => p.name === project)?.permissions ?? []);
}

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { meQuery } from '../shared/api/me.ts';
import { ProblemError, wantsSignIn } from '../shared/api/problem.ts';

/** How often a query is tried again by itself when that can help. */
const retries = 2;

/** The cache of all that the server said. Who hears that nobody is signed in any more sees the sign-in page. */
export function makeQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (wantsSignIn(error)) client.setQueryData(meQuery.queryKey, null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < retries && error instanceof ProblemError && error.problem.retryable,
        staleTime: 2_000,
      },
    },
  });
  return client;
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../shared/api/client.ts';
import { meQuery } from '../../shared/api/me.ts';
import type { components } from '../../shared/api/schema.gen.ts';

/** Signs in; what the cache held belonged to whoever was there before. */
export function useSignIn(onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: components['schemas']['SignIn']) => answer(api.POST('/api/v1/session', { body })),
    onSuccess: (me) => {
      queries.clear();
      queries.setQueryData(meQuery.queryKey, me);
      onDone();
    },
  });
}

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answer, api } from '../../shared/api/client.ts';
import { isLive, type Run } from '../../shared/api/run.ts';
import { usePageVisible } from '../../shared/ui/usePageVisible.ts';
import { follow, type Link } from './follow.ts';
import { type RunView, seePage, seeRun, seeSteps } from './view.ts';

/** How many steps one further page brings. */
const furtherSteps = 2_000;

function read(project: string, id: string, query: { steps_cursor?: string; steps_limit?: number } = {}): Promise<Run> {
  return answer(api.GET('/api/v1/projects/{project}/runs/{id}', { params: { path: { project, id }, query } }));
}

/** A run with its steps. */
export function runQuery(project: string, id: string) {
  return queryOptions({
    queryKey: ['run', project, id],
    queryFn: async ({ client, queryKey }): Promise<RunView> => {
      const run = await read(project, id);
      return seeRun(client.getQueryData<RunView>(queryKey), run);
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Steps are a Map, and many: what didn't change is the same object already.
    structuralSharing: false,
  });
}

/** A run that is kept up to date for as long as it goes on. */
export function useRun(project: string, id: string) {
  const query = runQuery(project, id);
  const queries = useQueryClient();
  const result = useQuery(query);
  const [link, setLink] = useState<Link>('connecting');
  const isVisible = usePageVisible();
  // Browsers give a site few connections: a page that nobody sees leaves its own to the others.
  const goesOn = isVisible && result.data !== undefined && isLive(result.data.run.state);
  useEffect(() => {
    if (!goesOn) return undefined;
    const { queryKey } = runQuery(project, id);
    const change = (to: (view: RunView | undefined) => RunView | undefined) => queries.setQueryData(queryKey, to);
    return follow(`/api/v1/projects/${encodeURIComponent(project)}/runs/${encodeURIComponent(id)}/events`, {
      // The stream brings every step, so nothing is left to be read by cursor.
      onRun: (run) => change((view) => ({ ...seeRun(view, run), next: null })),
      onSteps: (steps) => change((view) => view && seeSteps(view, steps)),
      onLink: setLink,
      onPoll: () => void queries.refetchQueries({ queryKey }),
    });
  }, [queries, project, id, goesOn]);
  const more = useMutation({
    mutationFn: (cursor: string) => read(project, id, { steps_cursor: cursor, steps_limit: furtherSteps }),
    onSuccess: (page) => queries.setQueryData(query.queryKey, (view) => view && seePage(view, page)),
  });
  return { ...result, link: goesOn ? link : ('ended' as const), more };
}

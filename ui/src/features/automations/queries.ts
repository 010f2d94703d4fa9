import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../shared/api/client.ts';
import { isLive, type RunHead } from '../../shared/api/run.ts';
import type { components } from '../../shared/api/schema.gen.ts';

/** An automation without its document. */
export type AutomationHead = components['schemas']['AutomationHead'];

/** How often a list looks again while a run in it goes on, in milliseconds. */
const lookAgain = 2_000;

/** The project's automations, page by page. */
export function automationsQuery(project: string) {
  return infiniteQueryOptions({
    queryKey: ['automations', project],
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/v1/projects/{project}/automations', {
          params: { path: { project }, query: pageParam === '' ? {} : { cursor: pageParam } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
  });
}

/** The latest run of an automation; null before the first. */
export function lastRunQuery(project: string, automation: string) {
  return queryOptions({
    queryKey: ['runs', project, 'last', automation],
    queryFn: async (): Promise<RunHead | null> => {
      const page = await answer(
        api.GET('/api/v1/projects/{project}/runs', {
          params: { path: { project }, query: { automation, limit: 1 } },
        }),
      );
      return page.items[0] ?? null;
    },
    refetchInterval: ({ state: { data } }) => (data && isLive(data.state) ? lookAgain : false),
  });
}

/** The document that a run would follow: the live version's, or the draft's before the first publish. */
export async function readDocument(project: string, automation: AutomationHead): Promise<unknown> {
  const path = { project, name: automation.name };
  if (automation.live_version === null) {
    return (await answer(api.GET('/api/v1/projects/{project}/automations/{name}', { params: { path } }))).draft;
  }
  const version = automation.live_version;
  const live = await answer(
    api.GET('/api/v1/projects/{project}/automations/{name}/versions/{version}', {
      params: { path: { ...path, version } },
    }),
  );
  return JSON.parse(live.document);
}

import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api } from '../../shared/api/client.ts';
import { isLive } from '../../shared/api/run.ts';
import type { components } from '../../shared/api/schema.gen.ts';

/** An automation without its document. */
export type AutomationHead = components['schemas']['AutomationHead'];

/** How often the list looks again, in milliseconds: sooner while one of the last runs goes on. */
const lookAgain = { live: 2_000, still: 10_000 };

/** The project's automations with their last runs, page by page. */
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
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.items.some(({ last_run: run }) => run && isLive(run.state)))
        ? lookAgain.live
        : lookAgain.still,
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

import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { answer, api } from '../../shared/api/client.ts';
import { followedBy, isLive, type RunHead, subjectOf } from '../../shared/api/run.ts';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import page from '../../shared/ui/Page.module.css';
import { StateMark } from '../../shared/ui/StateMark.tsx';
import { runLook } from '../../shared/ui/states.ts';
import table from '../../shared/ui/Table.module.css';
import { spanBetween } from '../../shared/ui/time.ts';
import { useNow } from '../../shared/ui/useNow.ts';
import { type Filter, RunFilter } from './RunFilter.tsx';

const route = getRouteApi('/signed-in/projects/$project/runs');

/** How often the list looks again, in milliseconds: sooner while a run in it goes on. */
const lookAgain = { live: 2_000, still: 10_000 };

function runsQuery(project: string, filter: Filter) {
  return infiniteQueryOptions({
    queryKey: ['runs', project, 'list', filter],
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/v1/projects/{project}/runs', {
          params: { path: { project }, query: queryOf(filter, pageParam) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((p) => p.items.some((run) => isLive(run.state))) ? lookAgain.live : lookAgain.still,
  });
}

function queryOf({ automation, state }: Filter, cursor: string) {
  return { ...(automation && { automation }), ...(state && { state }), ...(cursor && { cursor }) };
}

const columns = [{ name: 'State' }, { name: 'Run' }, { name: 'Started' }, { name: 'Took' }, { name: 'By' }];

/** The runs of a project, newest first, all or those that the address asks for. */
export function RunsPage() {
  const { project } = route.useParams();
  const filter = route.useSearch();
  const list = useInfiniteQuery(runsQuery(project, filter));
  return (
    <ListPage
      title={filter.automation ? `Runs of ${filter.automation}` : 'Runs'}
      aside={<RunFilter project={project} filter={filter} />}
      list={list}
      columns={columns}
      empty={<p className={page.empty}>No run like this yet.</p>}
      row={(run) => <RunRow key={run.id} project={project} run={run} />}
    />
  );
}

function RunRow({ project, run }: { project: string; run: RunHead }) {
  const now = useNow(isLive(run.state) ? 1_000 : 0);
  return (
    <tr>
      <td>
        <StateMark look={runLook(run.state)} />
      </td>
      <th scope="row">
        <Link to="/projects/$project/runs/$id" params={{ project, id: run.id }} data-row-link>
          {subjectOf(run)}
        </Link>
        <div className={table.quiet}>{followedBy(run)}</div>
        {run.error && (
          <span className={table.error} title={run.error.message}>
            {run.error.message}
          </span>
        )}
      </th>
      <td>
        <Moment at={run.started_at ?? run.created_at} />
      </td>
      <td>{spanBetween(run.started_at, run.finished_at, now)}</td>
      <td>
        {run.started_by} <span className={table.quiet}>{run.trigger}</span>
      </td>
    </tr>
  );
}

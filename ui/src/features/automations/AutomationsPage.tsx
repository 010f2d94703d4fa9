import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import page from '../../shared/ui/Page.module.css';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import table from '../../shared/ui/Table.module.css';
import { useRowKeys } from '../../shared/ui/useRowKeys.ts';
import { useTitle } from '../../shared/ui/useTitle.ts';
import { AutomationRow } from './AutomationRow.tsx';
import { automationsQuery } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$project/automations');

/** The automations of a project: what is live, how the last run went, and Run. */
export function AutomationsPage() {
  useTitle('Automations');
  const { project } = route.useParams();
  const list = useInfiniteQuery(automationsQuery(project));
  const onKeyDown = useRowKeys();
  const automations = list.data?.pages.flatMap((p) => p.items);
  return (
    <main className={page.page}>
      <div className={page.head}>
        <h1>Automations</h1>
      </div>
      {list.error && <ProblemNote error={list.error} onRetry={() => void list.refetch()} />}
      {automations?.length === 0 && <NoAutomations />}
      {automations !== undefined && automations.length > 0 && (
        <div className={table.frame}>
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Version</th>
                <th scope="col">Draft saved</th>
                <th scope="col">Last run</th>
                <th scope="col">
                  <span className={table.unseen}>Actions</span>
                </th>
              </tr>
            </thead>
            <tbody onKeyDown={onKeyDown}>
              {automations.map((automation) => (
                <AutomationRow key={automation.name} project={project} automation={automation} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </main>
  );
}

function NoAutomations() {
  return (
    <div className={page.empty}>
      <h2>No automation yet</h2>
      <p>
        Write one as a file and make it a draft: <code>pawl automation apply FILE</code>. Publish it with{' '}
        <code>pawl automation publish NAME</code>, and it can be run from here.
      </p>
    </div>
  );
}

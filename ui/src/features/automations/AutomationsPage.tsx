import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ListPage } from '../../shared/ui/ListPage.tsx';
import page from '../../shared/ui/Page.module.css';
import { AutomationRow } from './AutomationRow.tsx';
import { automationsQuery } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$project/automations');

const columns = [
  { name: 'Name' },
  { name: 'Version' },
  { name: 'Draft saved' },
  { name: 'Last run' },
  { name: 'Actions', isUnseen: true },
];

/** The automations of a project: what is live, how the last run went, and Run. */
export function AutomationsPage() {
  const { project } = route.useParams();
  const list = useInfiniteQuery(automationsQuery(project));
  return (
    <ListPage
      title="Automations"
      list={list}
      columns={columns}
      empty={<NoAutomations />}
      row={(automation) => <AutomationRow key={automation.name} project={project} automation={automation} />}
    />
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

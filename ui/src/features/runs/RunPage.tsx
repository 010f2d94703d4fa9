import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { usePermissions } from '../../shared/api/me.ts';
import { isLive, subjectOf } from '../../shared/api/run.ts';
import page from '../../shared/ui/Page.module.css';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import { useTitle } from '../../shared/ui/useTitle.ts';
import { RunDetails } from './RunDetails.tsx';
import { RunHeader } from './RunHeader.tsx';
import css from './RunPage.module.css';
import { StepDetails } from './StepDetails.tsx';
import { StepTree } from './StepTree.tsx';
import { treeOf } from './tree.ts';
import { useRun } from './useRun.ts';
import type { RunView } from './view.ts';
import { stepOfInterest } from './words.ts';

const route = getRouteApi('/signed-in/projects/$project/runs/$id');

/** The name by which the address calls the run itself, beside the paths of its steps. */
const whole = 'run';

/** One run: its state in a sentence, what can be done about it, its steps, and what each was given and gave. */
export function RunPage() {
  const { project, id } = route.useParams();
  const run = useRun(project, id);
  useTitle(run.data ? `Run of ${subjectOf(run.data.run)}` : 'Run');
  if (run.error && !run.data) {
    return (
      <main className={page.page}>
        <h1>This run can't be shown</h1>
        <ProblemNote error={run.error} onRetry={() => void run.refetch()} />
        <p>
          <Link to="/projects/$project/runs" params={{ project }}>
            All runs
          </Link>
        </p>
      </main>
    );
  }
  // The room stays empty for the moment that the answer takes, so that nothing jumps.
  if (!run.data) return <main className={css.page} aria-busy="true" />;
  const { next } = run.data;
  return (
    <main className={css.page}>
      <RunHeader project={project} view={run.data} link={run.link} />
      <Workspace project={project} view={run.data} />
      {next !== null && (
        <div className={css.more}>
          <Button variant="default" loading={run.more.isPending} onClick={() => run.more.mutate(next)}>
            Show more steps
          </Button>
          <span>{run.data.steps.size.toLocaleString('en')} steps are shown so far.</span>
          {run.more.error && <ProblemNote error={run.more.error} />}
        </div>
      )}
    </main>
  );
}

/** The steps beside what is known of the one that is looked at. */
function Workspace({ project, view }: { project: string; view: RunView }) {
  const { step: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const { state } = view.run;
  const roots = useMemo(() => treeOf(view.steps.values(), state), [view.steps, state]);
  const may = usePermissions(project);
  const path = asked ?? stepOfInterest(view)?.path ?? whole;
  const select = (step: string) => void navigate({ search: { step }, replace: true });
  const step = view.steps.get(path);
  return (
    <div className={css.workspace}>
      <section className={css.tree} aria-label="Steps of the run">
        <button type="button" className={css.whole} aria-pressed={path === whole} onClick={() => select(whole)}>
          Input and output of the run
        </button>
        <StepTree roots={roots} selected={path === whole ? null : path} goesOn={isLive(state)} onSelect={select} />
      </section>
      <section className={css.details} aria-label="Details">
        {path === whole && <RunDetails project={project} run={view.run} />}
        {step && (
          <StepDetails
            key={path}
            project={project}
            run={view.run.id}
            step={step}
            steps={view.steps}
            goesOn={isLive(state)}
            maySettle={may.has('settle')}
          />
        )}
        {path !== whole && !step && (
          <p className={css.quiet}>Nothing is recorded of this place itself: choose a step in it.</p>
        )}
      </section>
    </div>
  );
}

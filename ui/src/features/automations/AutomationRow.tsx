import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermissions } from '../../shared/api/me.ts';
import type { JSONText } from '../../shared/json/exact.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import { StateMark } from '../../shared/ui/StateMark.tsx';
import { runLook } from '../../shared/ui/states.ts';
import table from '../../shared/ui/Table.module.css';
import { inputsOf } from './inputs.ts';
import { type AutomationHead, readDocument } from './queries.ts';
import { RunDialog } from './RunDialog.tsx';
import { useStartRun } from './useStartRun.ts';

/** One automation of the list. */
export function AutomationRow({ project, automation }: { project: string; automation: AutomationHead }) {
  const { name, title, live_version: live } = automation;
  const [isAsking, setAsking] = useState(false);
  const start = useStartRun(project, automation);
  // An automation that takes nothing starts at once.
  const open = useMutation({
    mutationFn: async () => inputsOf(await readDocument(project, automation)),
    onSuccess: (inputs) => (inputs.length === 0 ? start.mutate('{}' as JSONText) : setAsking(true)),
  });
  const may = usePermissions(project).has(live === null ? 'test' : 'run');
  const error = open.error ?? (isAsking ? null : start.error);
  return (
    <>
      <tr>
        <th scope="row">
          <Link to="/projects/$project/runs" params={{ project }} search={{ automation: name }} data-row-link>
            {title || name}
          </Link>
          <div className={table.quiet}>{name}</div>
        </th>
        <td>
          <Version automation={automation} />
        </td>
        <td>
          <Moment at={automation.updated_at} /> <span className={table.quiet}>by {automation.updated_by}</span>
        </td>
        <td>
          <LastRun project={project} run={automation.last_run} />
        </td>
        <td className={table.actions}>
          {may && (
            <Button
              size="xs"
              variant={live === null ? 'default' : 'filled'}
              aria-label={live === null ? `Test the draft of ${title || name}` : `Run ${title || name}`}
              loading={open.isPending || (start.isPending && !isAsking)}
              onClick={() => open.mutate()}
            >
              {live === null ? 'Test draft' : 'Run'}
            </Button>
          )}
        </td>
      </tr>
      {error && (
        <tr>
          <td colSpan={5}>
            <ProblemNote error={error} />
          </td>
        </tr>
      )}
      {isAsking && (
        <RunDialog automation={automation} inputs={open.data ?? []} start={start} onClose={() => setAsking(false)} />
      )}
    </>
  );
}

/** What is live, and whether the draft is something else. */
function Version({ automation: { live_version: live, draft_differs: differs } }: { automation: AutomationHead }) {
  if (live === null) return <span className={table.quiet}>Not published</span>;
  return (
    <>
      v{live} live
      {differs && <div className={table.quiet}>Draft differs</div>}
    </>
  );
}

function LastRun({ project, run }: { project: string; run: AutomationHead['last_run'] }) {
  if (run === null) return <span className={table.quiet}>Never run</span>;
  return (
    <Link to="/projects/$project/runs/$id" params={{ project, id: run.id }} className={table.run}>
      <StateMark look={runLook(run.state)} />
      <Moment at={run.finished_at ?? run.started_at ?? run.created_at} />
    </Link>
  );
}

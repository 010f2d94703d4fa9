import { Link } from '@tanstack/react-router';
import { followedBy, isLive, subjectOf } from '../../shared/api/run.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Place } from '../../shared/ui/ProblemNote.tsx';
import { StateMark } from '../../shared/ui/StateMark.tsx';
import { runLook } from '../../shared/ui/states.ts';
import { useNow } from '../../shared/ui/useNow.ts';
import type { Link as Connection } from './follow.ts';
import { RunActions } from './RunActions.tsx';
import css from './RunHeader.module.css';
import type { RunView } from './view.ts';
import { sentenceOf } from './words.ts';

const news: Record<Connection, string> = {
  connecting: 'Connecting…',
  live: 'Live',
  polling: 'No live connection: looking every 2 s',
  ended: '',
};

/** What the run is, what state it is in and why, and what can be done about it. */
export function RunHeader({ project, view, link }: { project: string; view: RunView; link: Connection }) {
  const { run } = view;
  const now = useNow(isLive(run.state) ? 1_000 : 10_000);
  return (
    <header className={css.head}>
      <p className={css.crumbs}>
        <Link
          to="/projects/$project/runs"
          params={{ project }}
          search={run.automation ? { automation: run.automation } : {}}
        >
          {run.automation ? `Runs of ${run.automation}` : 'Runs'}
        </Link>
        <span className={css.news} data-link={link}>
          {news[link]}
        </span>
      </p>
      <div className={css.line}>
        <h1>{subjectOf(run)}</h1>
        <span className={css.quiet}>{followedBy(run)}</span>
        <span role="status">
          <StateMark look={runLook(run.state)} form="badge" />
        </span>
        <RunActions project={project} run={run} />
      </div>
      <p className={css.sentence}>{sentenceOf(view, now)}</p>
      {run.error && (
        <div className={css.error}>
          <p className={css.message}>{run.error.message}</p>
          <p className={css.small}>
            <code>{[run.error.kind, run.error.reason, run.error.status].filter(Boolean).join(' · ')}</code>{' '}
            <Place where={run.error.where} />
          </p>
        </div>
      )}
      <p className={css.quiet}>
        Started by {run.started_by} ({run.trigger}) <Moment at={run.created_at} />
        {run.local_only && ' · local only: no step may reach outside'}
        {run.replay_of && (
          <>
            {' · replays '}
            <Link to="/projects/$project/runs/$id" params={{ project, id: run.replay_of }}>
              an earlier run
            </Link>
          </>
        )}
      </p>
    </header>
  );
}

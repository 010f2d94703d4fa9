import { Link } from '@tanstack/react-router';
import type { RunState } from '../../shared/api/run.ts';
import { runLook, runStates } from '../../shared/ui/states.ts';
import css from './RunFilter.module.css';

/** What the list of runs is narrowed to. */
export interface Filter {
  automation?: string | undefined;
  state?: RunState | undefined;
}

/** What the list is narrowed to. The filter stands in the address, so it can be shared. */
export function RunFilter({ project, filter }: { project: string; filter: Filter }) {
  const { automation, state } = filter;
  const rest = automation === undefined ? {} : { automation };
  return (
    <nav className={css.chips} aria-label="Filter by state">
      {automation !== undefined && (
        <Link to="/projects/$project/runs" params={{ project }} search={state ? { state } : {}} className={css.chip}>
          {automation} ×<span className={css.unseen}> show all automations</span>
        </Link>
      )}
      <Chip project={project} search={rest} isOn={state === undefined} word="All" />
      {runStates.map((s) => (
        <Chip key={s} project={project} search={{ ...rest, state: s }} isOn={state === s} word={runLook(s).word} />
      ))}
    </nav>
  );
}

function Chip({ project, search, isOn, word }: { project: string; search: Filter; isOn: boolean; word: string }) {
  return (
    <Link
      to="/projects/$project/runs"
      params={{ project }}
      search={search}
      className={css.chip}
      data-on={isOn}
      aria-current={isOn ? 'true' : undefined}
    >
      {word}
    </Link>
  );
}

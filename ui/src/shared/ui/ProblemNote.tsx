import { Button } from '@mantine/core';
import { type Problem, problemOf, type Where } from '../api/problem.ts';
import css from './ProblemNote.module.css';

/** What went wrong, the sentence in large and the kind in small, with a way to try again where that can help. */
export function ProblemNote({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const problem = problemOf(error);
  return (
    <div role="alert" className={css.note}>
      <p className={css.sentence}>{problem.errors?.length === 1 ? problem.errors[0]?.message : problem.detail}</p>
      <ProblemList problem={problem} />
      <p className={css.small}>
        <code>{[problem.kind, problem.reason].filter(Boolean).join(' · ')}</code>
        {problem.instance && <> request {problem.instance.replace('urn:uuid:', '')}</>}
      </p>
      {onRetry && (
        <Button variant="default" size="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** All problems, each with its place. */
function ProblemList({ problem }: { problem: Problem }) {
  const items = problem.errors ?? [];
  if (items.length < 2) return <Place where={items[0]?.where ?? problem.where} />;
  return (
    <ul className={css.list}>
      {items.map((item) => (
        <li key={`${item.where?.pointer} ${item.message}`}>
          <Place where={item.where} /> {item.message}
        </li>
      ))}
    </ul>
  );
}

/** The place of an error in its material. */
export function Place({ where }: { where: Where | undefined }) {
  if (!where) return null;
  const line = where.line ? `line ${where.line}, column ${where.column ?? 1}` : '';
  const place = [where.step && `step ${where.step}`, where.pointer, line].filter(Boolean).join(' · ');
  return (
    <span className={css.place}>
      {place && <code>{place}</code>}
      {where.expression && <code>{`{{ ${where.expression} }}`}</code>}
    </span>
  );
}

import type { Attempt, StepError } from '../../shared/api/run.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { StateMark } from '../../shared/ui/StateMark.tsx';
import { attemptLook } from '../../shared/ui/states.ts';
import { spanBetween } from '../../shared/ui/time.ts';
import css from './Details.module.css';
import { ErrorBox } from './ErrorBox.tsx';

/** Every try of a step, in order. */
export function Attempts({ attempts, said }: { attempts: Attempt[]; said: string | undefined }) {
  if (attempts.length === 0) return <p className={css.quiet}>This step sends nothing by itself, or has not started.</p>;
  return (
    <ol className={css.attempts}>
      {attempts.map((attempt) => (
        <AttemptItem key={attempt.n} attempt={attempt} said={said} />
      ))}
    </ol>
  );
}

function AttemptItem({ attempt, said }: { attempt: Attempt; said: string | undefined }) {
  const took = attempt.finished_at === null ? null : spanBetween(attempt.started_at, attempt.finished_at, Number.NaN);
  return (
    <li className={css.attempt}>
      <div className={css.line}>
        <span className={css.number}>Attempt {attempt.n}</span>
        <StateMark look={attemptLook(attempt)} />
        {attempt.status !== null && <span>HTTP {attempt.status}</span>}
        <span className={css.quiet}>
          <Moment at={attempt.started_at} />
          {took && ` · took ${took}`}
        </span>
      </div>
      {attempt.settled && (
        <p>
          Settled as {attempt.settled.as} by {attempt.settled.by} <Moment at={attempt.settled.at} />
        </p>
      )}
      {attempt.error && <AttemptError error={attempt.error} isSaid={attempt.error.message === said} />}
    </li>
  );
}

/** What the step's own error says already is not said again. */
function AttemptError({ error, isSaid }: { error: StepError; isSaid: boolean }) {
  if (!isSaid) return <ErrorBox error={error} />;
  return (
    <p className={css.small}>
      <code>{[error.kind, error.reason].filter(Boolean).join(' · ')}</code>
    </p>
  );
}

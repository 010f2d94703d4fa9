import type { StepError } from '../../shared/api/run.ts';
import { Place } from '../../shared/ui/ProblemNote.tsx';
import css from './Details.module.css';

/** An error of a step: the sentence in large, its kind and place in small. */
export function ErrorBox({ error }: { error: StepError }) {
  return (
    <div className={css.error}>
      <p className={css.message}>{error.message}</p>
      <p className={css.small}>
        <code>{[error.kind, error.reason].filter(Boolean).join(' · ')}</code>
        {error.status !== undefined && ` HTTP ${error.status} `} <Place where={error.where} />
      </p>
    </div>
  );
}

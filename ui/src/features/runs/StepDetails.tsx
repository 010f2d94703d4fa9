import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Step } from '../../shared/api/run.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { StateMark } from '../../shared/ui/StateMark.tsx';
import { stepLook } from '../../shared/ui/states.ts';
import css from './Details.module.css';
import { ErrorBox } from './ErrorBox.tsx';
import { SettleDialog } from './SettleDialog.tsx';
import { StepValues } from './StepValues.tsx';
import { nameOf, placeOf } from './words.ts';

interface Props {
  project: string;
  run: string;
  step: Step;
  steps: ReadonlyMap<string, Step>;
  /** Whether the run goes on. */
  goesOn: boolean;
  maySettle: boolean;
}

/** What is known of one position: what it was given, what it gave, and every try. */
export function StepDetails({ project, run, step, steps, goesOn, maySettle }: Props) {
  const [isSettling, setSettling] = useState(false);
  return (
    <div className={css.details}>
      <div className={css.head}>
        <h2>{nameOf(step)}</h2>
        <StateMark look={stepLook(step.state, goesOn)} form="badge" />
      </div>
      <p className={css.quiet}>
        <code>{step.path}</code>
        {step.type && ` · ${step.type}`}
        {step.label && ` · ${step.label}`}
        {step.action && (
          <>
            {' · '}
            <code>{step.action}</code>
          </>
        )}
        {step.started_at && (
          <>
            {' · began '}
            <Moment at={step.started_at} />
          </>
        )}
      </p>
      {step.state === 'unknown' && (
        <div className={css.unknown}>
          <p>
            The request of {placeOf(step.path, steps)} went out, and no answer was recorded. It may have taken effect.
            See on the other side whether it did; then settle it here, and the run goes on.
          </p>
          {maySettle && (
            <Button size="xs" onClick={() => setSettling(true)}>
              Settle…
            </Button>
          )}
        </div>
      )}
      {step.error && <ErrorBox error={step.error} />}
      {step.started_at === null ? (
        <p>{notBegun(step, goesOn)}</p>
      ) : (
        <StepValues project={project} run={run} step={step} />
      )}
      {isSettling && <SettleDialog project={project} run={run} step={step} onClose={() => setSettling(false)} />}
    </div>
  );
}

/** Why there is nothing to see of a step. */
function notBegun(step: Step, goesOn: boolean): string {
  if (step.state === 'skipped') return 'It was decided that this step does not run.';
  return goesOn ? 'This step has not begun.' : 'The run ended before it came to this step.';
}

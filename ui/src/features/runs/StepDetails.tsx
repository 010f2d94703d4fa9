import { Button, Tabs } from '@mantine/core';
import { useState } from 'react';
import type { Step, StepError } from '../../shared/api/run.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Place } from '../../shared/ui/ProblemNote.tsx';
import { StateMark } from '../../shared/ui/StateMark.tsx';
import { stepLook } from '../../shared/ui/states.ts';
import { Attempts } from './Attempts.tsx';
import css from './Details.module.css';
import { SettleDialog } from './SettleDialog.tsx';
import { Value } from './Value.tsx';
import { nameOf, placeOf } from './words.ts';

interface Props {
  project: string;
  run: string;
  step: Step;
  steps: ReadonlyMap<string, Step>;
  maySettle: boolean;
}

/** What is known of one position: what it was given, what it gave, and every try. */
export function StepDetails({ project, run, step, steps, maySettle }: Props) {
  const [picked, setPicked] = useState<string | null>(null);
  const [isSettling, setSettling] = useState(false);
  return (
    <div className={css.details}>
      <div className={css.head}>
        <h2>{nameOf(step)}</h2>
        <StateMark look={stepLook(step.state)} form="badge" />
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
      <Tabs value={picked ?? (step.output === 'null' ? 'input' : 'output')} onChange={setPicked} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="input">Input</Tabs.Tab>
          <Tabs.Tab value="output">Output</Tabs.Tab>
          <Tabs.Tab value="attempts">Attempts {step.attempts.length > 0 && step.attempts.length}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="input" pt="sm">
          <Value project={project} run={run} text={step.input} label="Input of the step" />
        </Tabs.Panel>
        <Tabs.Panel value="output" pt="sm">
          <Value project={project} run={run} text={step.output} label="Output of the step" />
        </Tabs.Panel>
        <Tabs.Panel value="attempts" pt="sm">
          <Attempts attempts={step.attempts} said={step.error?.message} />
        </Tabs.Panel>
      </Tabs>
      {isSettling && <SettleDialog project={project} run={run} step={step} onClose={() => setSettling(false)} />}
    </div>
  );
}

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

import { Tabs } from '@mantine/core';
import { useState } from 'react';
import type { Step } from '../../shared/api/run.ts';
import { Attempts } from './Attempts.tsx';
import { CallLog } from './CallLog.tsx';
import { RequestView } from './RequestView.tsx';
import { Value } from './Value.tsx';

/** What a step was given and gave, what it sent, and every try. */
export function StepValues({ project, run, step }: { project: string; run: string; step: Step }) {
  const [picked, setPicked] = useState<string | null>(null);
  const hasRequest = step.attempts.some(({ request }) => request !== null);
  const hasLog = step.attempts.some(({ call }) => call !== null);
  const usual = step.caught !== undefined ? 'caught' : step.output === 'null' ? 'input' : 'output';
  return (
    <Tabs value={picked ?? usual} onChange={setPicked} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="input">Input</Tabs.Tab>
        {hasRequest && <Tabs.Tab value="request">Request</Tabs.Tab>}
        {hasLog && <Tabs.Tab value="log">Log</Tabs.Tab>}
        <Tabs.Tab value="output">Output</Tabs.Tab>
        {step.caught !== undefined && <Tabs.Tab value="caught">Caught</Tabs.Tab>}
        <Tabs.Tab value="attempts">Attempts {step.attempts.length > 0 && step.attempts.length}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="input" pt="sm">
        <Value project={project} run={run} text={step.input} label="Input of the step" />
      </Tabs.Panel>
      <Tabs.Panel value="request" pt="sm">
        <RequestView attempts={step.attempts} />
      </Tabs.Panel>
      <Tabs.Panel value="log" pt="sm">
        <CallLog attempts={step.attempts} />
      </Tabs.Panel>
      <Tabs.Panel value="output" pt="sm">
        <Value project={project} run={run} text={step.output} label="Output of the step" />
      </Tabs.Panel>
      {step.caught !== undefined && (
        <Tabs.Panel value="caught" pt="sm">
          <Value project={project} run={run} text={step.caught} label="Error that the step caught" />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="attempts" pt="sm">
        <Attempts attempts={step.attempts} said={step.error?.message} />
      </Tabs.Panel>
    </Tabs>
  );
}

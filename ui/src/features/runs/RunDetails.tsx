import { Tabs } from '@mantine/core';
import { useState } from 'react';
import css from './Details.module.css';
import { Value } from './Value.tsx';
import type { RunView } from './view.ts';

/** What the run as a whole was given and gave. */
export function RunDetails({ project, run }: { project: string; run: RunView['run'] }) {
  const [picked, setPicked] = useState<string | null>(null);
  const usual = run.output === 'null' ? 'input' : 'output';
  return (
    <div className={css.details}>
      <h2>The run</h2>
      <p className={css.quiet}>
        <code>{run.id}</code> · document <code>{run.digest.slice(0, 12)}</code>
      </p>
      <Tabs value={picked ?? usual} onChange={setPicked} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="input">Input</Tabs.Tab>
          <Tabs.Tab value="output">Output</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="input" pt="sm">
          <Value project={project} run={run.id} text={run.input} label="Input of the run" />
        </Tabs.Panel>
        <Tabs.Panel value="output" pt="sm">
          <Value project={project} run={run.id} text={run.output} label="Output of the run" />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

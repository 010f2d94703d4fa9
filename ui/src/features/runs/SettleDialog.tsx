import { Button, Radio, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answer, api } from '../../shared/api/client.ts';
import type { Step } from '../../shared/api/run.ts';
import type { components } from '../../shared/api/schema.gen.ts';
import { readTyped } from '../../shared/json/exact.ts';
import { Dialog } from '../../shared/ui/Dialog.tsx';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import css from './Details.module.css';
import { runQuery } from './useRun.ts';
import { seeRun } from './view.ts';
import { nameOf } from './words.ts';

type Verdict = components['schemas']['SettleRun'];

const choices: { as: Verdict['as']; label: string; description: string }[] = [
  { as: 'succeeded', label: 'It happened', description: 'The step succeeded with the output that you give below.' },
  { as: 'failed', label: 'It failed', description: 'The step failed, and the run goes on as after any failure.' },
  { as: 'retry', label: 'Nothing happened', description: 'The request is sent once more, under the same key.' },
];

interface Props {
  project: string;
  run: string;
  step: Step;
  onClose: () => void;
}

/** Lets a person decide what became of a request whose outcome is unknown. */
export function SettleDialog({ project, run, step, onClose }: Props) {
  const [as, setAs] = useState<Verdict['as'] | ''>('');
  const [output, setOutput] = useState('{}');
  const [problem, setProblem] = useState('');
  const settle = useSettle(project, run, step.path, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (as === '') return;
    const typed = readTyped(output);
    setProblem(as === 'succeeded' && !typed.ok ? typed.problem : '');
    if (as !== 'succeeded') settle.mutate({ as });
    else if (typed.ok) settle.mutate({ as, output: typed.text });
  };
  return (
    <Dialog onClose={onClose} title={`Settle ${nameOf(step)}`} size="lg">
      <form className={css.form} onSubmit={submit}>
        <Radio.Group
          label="What did you find on the other side?"
          value={as}
          onChange={(value) => setAs(value as Verdict['as'])}
        >
          <div className={css.choices}>
            {choices.map((choice) => (
              <Radio key={choice.as} value={choice.as} label={choice.label} description={choice.description} />
            ))}
          </div>
        </Radio.Group>
        {as === 'succeeded' && (
          <Textarea
            label="Output"
            description="JSON, as the step would have given it. Later steps read it."
            classNames={{ input: css.text ?? '' }}
            rows={6}
            spellCheck={false}
            value={output}
            error={problem}
            onChange={(event) => setOutput(event.target.value)}
          />
        )}
        {settle.error && <ProblemNote error={settle.error} />}
        <div className={css.buttons}>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" disabled={as === ''} loading={settle.isPending}>
            Settle
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function useSettle(project: string, id: string, path: string, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Verdict) =>
      answer(
        api.POST('/api/v1/projects/{project}/runs/{id}/steps/{path}/settle', {
          params: { path: { project, id, path } },
          body,
        }),
      ),
    onSuccess: (run) => {
      queries.setQueryData(runQuery(project, id).queryKey, (view) => seeRun(view, run));
      onDone();
    },
  });
}

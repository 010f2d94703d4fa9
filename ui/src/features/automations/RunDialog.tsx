import { Button, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { readTyped } from '../../shared/json/exact.ts';
import { Dialog } from '../../shared/ui/Dialog.tsx';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import { type Input, startText } from './inputs.ts';
import type { AutomationHead } from './queries.ts';
import css from './RunDialog.module.css';
import type { useStartRun } from './useStartRun.ts';

interface Props {
  automation: AutomationHead;
  inputs: Input[];
  start: ReturnType<typeof useStartRun>;
  onClose: () => void;
}

/** Asks for the input of a run, as JSON. What the API says of it stands under the text. */
export function RunDialog({ automation, inputs, start, onClose }: Props) {
  const [text, setText] = useState(() => startText(inputs));
  const [problem, setProblem] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = readTyped(text);
    setProblem(typed.ok ? '' : typed.problem);
    if (typed.ok) start.mutate(typed.text);
  };
  const close = () => {
    start.reset();
    onClose();
  };
  return (
    <Dialog onClose={close} title={`Run ${automation.title || automation.name}`} size="lg">
      <form className={css.form} onSubmit={submit}>
        <InputList inputs={inputs} />
        <Textarea
          label="Input"
          description="A JSON object. Numbers are sent with the digits that you type."
          classNames={{ input: css.text ?? '' }}
          rows={Math.min(16, Math.max(5, text.split('\n').length + 1))}
          spellCheck={false}
          value={text}
          error={problem}
          onChange={(event) => setText(event.target.value)}
          data-autofocus
        />
        {start.error && problem === '' && <ProblemNote error={start.error} />}
        <div className={css.buttons}>
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button type="submit" loading={start.isPending}>
            {automation.live_version === null ? 'Test draft' : `Run version ${automation.live_version}`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function InputList({ inputs }: { inputs: Input[] }) {
  return (
    <dl className={css.inputs}>
      {inputs.map(({ name, type, required, description }) => (
        <div key={name}>
          <dt>
            <code>{name}</code> <span>{[type, required ? 'required' : 'optional'].filter(Boolean).join(', ')}</span>
          </dt>
          {description !== '' && <dd>{description}</dd>}
        </div>
      ))}
    </dl>
  );
}

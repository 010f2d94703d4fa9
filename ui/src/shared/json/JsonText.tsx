import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { TextBox } from '../ui/TextBox.tsx';
import type { JSONText } from './exact.ts';
import { indent } from './indent.ts';
import css from './JsonText.module.css';

/** How many characters show at once; a browser lays out more only slowly. */
const shownAtOnce = 100_000;

/** A JSON value, laid out, every digit as it came. */
export function JsonText({ text, label }: { text: JSONText; label: string }) {
  const [whole, setWhole] = useState(false);
  const laidOut = useMemo(() => indent(text), [text]);
  const isCut = !whole && laidOut.length > shownAtOnce;
  return (
    <div className={css.box}>
      <div className={css.bar}>
        {isCut && (
          <Button variant="default" size="compact-xs" onClick={() => setWhole(true)}>
            Show all {laidOut.length.toLocaleString('en')} characters
          </Button>
        )}
        {navigator.clipboard && (
          <Button variant="default" size="compact-xs" onClick={() => void navigator.clipboard.writeText(text)}>
            Copy
          </Button>
        )}
      </div>
      <TextBox text={isCut ? `${laidOut.slice(0, shownAtOnce)}\n…` : laidOut} label={label} />
    </div>
  );
}

import { Icon } from './Icon.tsx';
import css from './StateMark.module.css';
import type { Look } from './states.ts';

/** A state as icon and word. The plain form is for rows; the badge is for what a page is about. */
export function StateMark({ look, form = 'plain' }: { look: Look; form?: 'plain' | 'badge' }) {
  return (
    <span className={css.mark} data-tone={look.tone} data-form={form} data-shape={look.shape}>
      <Icon shape={look.shape} />
      <span>{look.word}</span>
    </span>
  );
}

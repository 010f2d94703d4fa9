import type { KeyboardEvent } from 'react';

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** Lets the arrow keys walk the rows of a table body: from one row's link (data-row-link) to the next one's. */
export function useRowKeys() {
  return (event: KeyboardEvent<HTMLElement>) => {
    const step = steps[event.key];
    // Events of a dialog that a row opened pass by here too.
    if (step === undefined || !event.currentTarget.contains(document.activeElement)) return;
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')];
    const row = document.activeElement?.closest('tr');
    const next = links[links.findIndex((link) => link.closest('tr') === row) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
}

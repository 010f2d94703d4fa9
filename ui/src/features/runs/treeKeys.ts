import type { Row } from './tree.ts';

/** What a key asks for: to look at a row, or to open or close one. */
export type Wish = { do: 'select'; path: string } | { do: 'toggle'; path: string };

/** What a key means on the row at a place (ARIA Authoring Practices, tree view); null for other keys. */
export function wishOf(key: string, rows: Row[], at: number): Wish | null {
  const row = rows[at];
  switch (key) {
    case 'ArrowDown':
      return select(rows, at + 1);
    case 'ArrowUp':
      return select(rows, at - 1);
    case 'Home':
      return select(rows, 0);
    case 'End':
      return select(rows, rows.length - 1);
    case 'ArrowRight':
      return row?.open === true ? select(rows, at + 1) : toggle(row, false);
    case 'ArrowLeft':
      return toggle(row, true) ?? select(rows, parentOf(rows, at));
    case 'Enter':
    case ' ':
      return row ? toggle(row, row.open) : null;
    default:
      return null;
  }
}

function select(rows: Row[], to: number): Wish | null {
  const path = rows[Math.max(0, Math.min(rows.length - 1, to))]?.node.path;
  return path === undefined ? null : { do: 'select', path };
}

/** Opens or closes the row if it is as said; a row without anything inside is neither. */
function toggle(row: Row | undefined, from: boolean | null): Wish | null {
  return row && from !== null && row.open === from ? { do: 'toggle', path: row.node.path } : null;
}

function parentOf(rows: Row[], at: number): number {
  const level = rows[at]?.level ?? 1;
  for (let above = at - 1; above >= 0; above--) {
    if ((rows[above]?.level ?? 1) < level) return above;
  }
  return at;
}

import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import css from './StepTree.module.css';
import { TreeRow } from './TreeRow.tsx';
import { flipped, opened, problemsIn, rowsOf, type StepNode } from './tree.ts';
import { wishOf } from './treeKeys.ts';

/** The height of a row, in pixels. */
const rowHeight = 36;
/** How many rows are kept ready outside of what shows. */
const overscan = 12;

interface Props {
  roots: StepNode[];
  selected: string | null;
  /** Whether the run goes on. */
  goesOn: boolean;
  onSelect: (path: string) => void;
}

/** The steps by their paths. Only the rows that show are in the page, so that 20,000 iterations are none too many. */
export function StepTree({ roots, selected, goesOn, onSelect }: Props) {
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(roots, changed), [roots, changed]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (at) => rows[at]?.node.path ?? at,
    overscan,
  });
  const toggle = (path: string) => setChanged((before) => flipped(before, path));
  const at = rows.findIndex((row) => row.node.path === selected);
  const onKeyDown = (event: KeyboardEvent) => {
    const wish = event.metaKey || event.ctrlKey || event.altKey ? null : wishOf(event.key, rows, at);
    if (!wish) return;
    event.preventDefault();
    if (wish.do === 'select') onSelect(wish.path);
    else toggle(wish.path);
  };
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);
  return (
    <>
      <NextProblem
        roots={roots}
        selected={selected}
        onSelect={(path) => {
          setChanged((before) => opened(roots, before, path));
          onSelect(path);
        }}
      />
      <div
        ref={scroller}
        className={css.scroller}
        role="tree"
        aria-label="Steps"
        tabIndex={0}
        aria-activedescendant={at >= 0 ? idOf(selected ?? '') : undefined}
        onKeyDown={onKeyDown}
        style={{ blockSize: virtual.getTotalSize() }}
      >
        <div className={css.all} role="presentation" style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return (
              row && (
                <TreeRow
                  key={item.key}
                  id={idOf(row.node.path)}
                  row={row}
                  offset={item.start}
                  isSelected={row.node.path === selected}
                  goesOn={goesOn}
                  onSelect={onSelect}
                  onToggle={toggle}
                />
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

/** The id of a row's element. */
function idOf(path: string): string {
  return `step-${path}`;
}

/** Jumps to the next step that failed or whose outcome is unknown, behind the selected one. */
function NextProblem({ roots, selected, onSelect }: Omit<Props, 'goesOn'>) {
  const problems = useMemo(() => problemsIn(roots), [roots]);
  const isThere = problems.length === 1 && problems[0] === selected;
  if (problems.length === 0 || isThere) return null;
  const next = problems[(problems.indexOf(selected ?? '') + 1) % problems.length] ?? '';
  return (
    <div className={css.bar}>
      <Button variant="default" size="compact-xs" onClick={() => onSelect(next)}>
        {problems.length === 1 ? 'Go to the problem' : `Next of ${problems.length.toLocaleString('en')} problems`}
      </Button>
    </div>
  );
}

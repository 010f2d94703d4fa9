import { Icon } from '../../shared/ui/Icon.tsx';
import { StateMark } from '../../shared/ui/StateMark.tsx';
import { stepLook } from '../../shared/ui/states.ts';
import { spanBetween } from '../../shared/ui/time.ts';
import { useNow } from '../../shared/ui/useNow.ts';
import css from './StepTree.module.css';
import { type Row, stateOf, type TreeNode } from './tree.ts';
import { nameOf } from './words.ts';

interface Props {
  id: string;
  row: Row;
  /** Where the row starts, in pixels from the top of the tree. */
  offset: number;
  isSelected: boolean;
  /** Whether the run goes on: what has not begun may still come then. */
  goesOn: boolean;
  onSelect: (path: string) => void;
  onToggle: (path: string) => void;
}

/** One line of the tree. Its keys are the tree's. */
export function TreeRow({ id, row: { node, level, open }, offset, isSelected, goesOn, onSelect, onToggle }: Props) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, aria-activedescendant names the row
    <div
      id={id}
      role="treeitem"
      className={css.row}
      data-kind={node.kind}
      aria-level={level}
      aria-selected={isSelected}
      aria-expanded={open ?? undefined}
      style={{ transform: `translateY(${offset}px)`, paddingInlineStart: 8 + (level - 1) * 20 }}
      onClick={() => onSelect(node.path)}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys of the tree do it too */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for the pointer only */}
      <span
        className={css.toggle}
        onClick={(event) => {
          if (open === null) return;
          event.stopPropagation();
          onToggle(node.path);
        }}
      >
        {open !== null && <Icon shape={open ? 'down' : 'right'} />}
      </span>
      <span className={css.name}>{labelOf(node)}</span>
      <Facts node={node} />
      <StateMark look={stepLook(stateOf(node), goesOn)} />
    </div>
  );
}

function labelOf(node: TreeNode): string {
  if (node.kind !== 'step') return node.label;
  return node.step ? nameOf(node.step) : node.id;
}

/** The small print: how many tries or items, and how long it took. */
function Facts({ node }: { node: TreeNode }) {
  const step = node.kind === 'step' ? node.step : null;
  const isGoingOn = step?.started_at != null && step.finished_at === null && step.state === 'running';
  const now = useNow(isGoingOn ? 1_000 : 0);
  if (!step) return null;
  const tries = step.attempts.length > 1 ? `${step.attempts.length} attempts` : null;
  const items = step.count === undefined ? null : `${step.count.toLocaleString('en')} items`;
  const took = isGoingOn || step.finished_at !== null ? spanBetween(step.started_at, step.finished_at, now) : null;
  return <span className={css.facts}>{[items, tries, took].filter(Boolean).join(' · ')}</span>;
}

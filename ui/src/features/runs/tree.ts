import type { Step, StepState } from '../../shared/api/run.ts';

/** A step of a run, or one iteration of a loop. */
export type TreeNode = StepNode | IterationNode;

/** A step, with the iterations that ran in it. A step whose row wasn't read yet has none. */
export interface StepNode {
  kind: 'step';
  path: string;
  id: string;
  step: Step | null;
  children: IterationNode[];
}

/** One item of a loop, or one round of a retry that starts over. */
export interface IterationNode {
  kind: 'iteration';
  path: string;
  /** "Item 4" or "Round 2". */
  label: string;
  state: StepState;
  children: StepNode[];
}

/** What a container shows for what is inside: the first of these that occurs. */
const urgency: StepState[] = [
  'unknown',
  'failed',
  'waiting',
  'running',
  'pending',
  'cancelled',
  'succeeded',
  'skipped',
];

/** The steps as a tree by their paths: each.3.ticket is the step ticket in the fourth item of the loop each. */
export function treeOf(steps: Iterable<Step>): StepNode[] {
  const roots: StepNode[] = [];
  const stepNodes = new Map<string, StepNode>();
  const iterations = new Map<string, IterationNode>();

  const stepAt = (scope: string, id: string): StepNode => {
    const path = scope === '' ? id : `${scope}.${id}`;
    const known = stepNodes.get(path);
    if (known) return known;
    const made: StepNode = { kind: 'step', path, id, step: null, children: [] };
    stepNodes.set(path, made);
    (scope === '' ? roots : iterationAt(scope).children).push(made);
    return made;
  };
  const iterationAt = (path: string): IterationNode => {
    const known = iterations.get(path);
    if (known) return known;
    const { scope, id, label } = splitIteration(path);
    const made: IterationNode = { kind: 'iteration', path, label, state: 'skipped', children: [] };
    iterations.set(path, made);
    stepAt(scope, id).children.push(made);
    return made;
  };

  for (const step of steps) {
    const dot = step.path.lastIndexOf('.');
    stepAt(dot < 0 ? '' : step.path.slice(0, dot), step.path.slice(dot + 1)).step = step;
  }
  for (const node of stepNodes.values()) node.children.sort((a, b) => byIndex(a.path, b.path));
  for (const node of roots) settle(node);
  return roots;
}

/** Splits "each.3" into the scope around, the loop's id and the words for the item; "again~2" is a round. */
function splitIteration(path: string): { scope: string; id: string; label: string } {
  const round = /^(?:(.*)\.)?([^.~]+)~(\d+)$/.exec(path);
  if (round) return { scope: round[1] ?? '', id: round[2] ?? '', label: `Round ${round[3]}` };
  const [, scope = '', id = path, index = '0'] = /^(?:(.*)\.)?([^.]+)\.(\d+)$/.exec(path) ?? [];
  return { scope, id, label: `Item ${Number(index) + 1}` };
}

function byIndex(a: string, b: string): number {
  return indexOf(a) - indexOf(b);
}

function indexOf(path: string): number {
  return Number(/(\d+)$/.exec(path)?.[1] ?? 0);
}

/** Gives each iteration the state of what is most urgent inside. */
function settle(node: TreeNode): StepState {
  const states = node.children.map(settle);
  if (node.kind === 'step') return node.step?.state ?? mostUrgent(states);
  node.state = mostUrgent(states);
  return node.state;
}

function mostUrgent(states: StepState[]): StepState {
  return urgency.find((state) => states.includes(state)) ?? 'pending';
}

/** The state that a node shows. */
export function stateOf(node: TreeNode): StepState {
  if (node.kind === 'iteration') return node.state;
  return node.step?.state ?? mostUrgent(node.children.map((child) => child.state));
}

/** A line of the tree as it is shown. */
export interface Row {
  node: TreeNode;
  level: number;
  /** Whether what is inside shows; null for a node without anything inside. */
  open: boolean | null;
}

/** A loop shows its items at once; items show their steps at once while there are this many at most. */
const openItems = 12;

/** The lines of the tree. changed holds the paths that somebody opened or closed against what is usual. */
export function rowsOf(roots: StepNode[], changed: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const add = (node: TreeNode, level: number, usual: boolean) => {
    const open = node.children.length === 0 ? null : changed.has(node.path) !== usual;
    rows.push({ node, level, open });
    if (!open) return;
    const isFew = node.children.length <= openItems;
    for (const child of node.children) add(child, level + 1, child.kind === 'step' || isFew);
  };
  for (const root of roots) add(root, 1, true);
  return rows;
}

/** The paths of the iterations and loops around a path, outermost first. */
export function around(path: string): string[] {
  const found: string[] = [];
  const dot = path.lastIndexOf('.');
  let scope = dot < 0 ? '' : path.slice(0, dot);
  while (scope !== '') {
    const { scope: outer, id } = splitIteration(scope);
    found.unshift(outer === '' ? id : `${outer}.${id}`, scope);
    scope = outer;
  }
  return found;
}

/** The set with the path in it, or without it where it was in. */
export function flipped(set: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(path)) next.add(path);
  return next;
}

/** What must be open against the usual so that a path shows. */
export function opened(roots: StepNode[], changed: ReadonlySet<string>, path: string): ReadonlySet<string> {
  let now = changed;
  for (const outer of around(path)) {
    const row = rowsOf(roots, now).find(({ node }) => node.path === outer);
    if (row?.open === false) now = flipped(now, outer);
  }
  return now;
}

/** The paths of the steps that failed or whose outcome is unknown, in the order of the tree. */
export function problemsIn(roots: StepNode[]): string[] {
  const found: string[] = [];
  const look = (node: StepNode) => {
    const state = stateOf(node);
    if (node.children.length === 0 && (state === 'failed' || state === 'unknown')) found.push(node.path);
    for (const iteration of node.children) iteration.children.forEach(look);
  };
  roots.forEach(look);
  return found;
}

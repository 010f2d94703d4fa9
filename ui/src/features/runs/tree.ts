import { isLive, type RunState, type Step, type StepState } from '../../shared/api/run.ts';

/** A step of a run, or a group of steps in it. */
export type TreeNode = StepNode | GroupNode;

/** A step, with what stands in it. A step whose row wasn't read yet has none. */
export interface StepNode {
  kind: 'step';
  path: string;
  id: string;
  step: Step | null;
  place: number;
  children: TreeNode[];
}

/** One item of a loop, one round of a retry that starts over, or one part of a branch, a parallel or a try. */
export interface GroupNode {
  kind: 'item' | 'round' | 'arm';
  path: string;
  /** "Item 4", "Round 2", "Case 1". */
  label: string;
  state: StepState;
  place: number;
  children: TreeNode[];
}

/** What a group shows for what is inside: the first of these that occurs. */
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

/**
 * The steps as the document nests them, loops item by item: each.3.ticket is the step ticket in the fourth item of the
 * loop each, each.*.ticket stands for the items of a loop that has not begun.
 */
export function treeOf(steps: Iterable<Step>, run: RunState = 'running'): StepNode[] {
  const builder = new Builder(steps);
  const roots = builder.build();
  for (const node of roots) settle(node, isLive(run));
  return roots;
}

class Builder {
  private readonly steps = new Map<string, Step>();
  private readonly nodes = new Map<string, StepNode>();
  private readonly groups = new Map<string, GroupNode>();
  private readonly roots: StepNode[] = [];

  constructor(steps: Iterable<Step>) {
    for (const step of steps) this.steps.set(step.path, step);
  }

  build(): StepNode[] {
    for (const { path } of this.steps.values()) if (!this.isGone(path)) this.stepAt(path);
    for (const node of this.nodes.values()) inRounds(node);
    for (const { children } of [...this.nodes.values(), ...this.groups.values()]) sort(children);
    sort(this.roots);
    return this.roots;
  }

  /** Whether a step stands for the items of a loop that has items of its own by now. */
  private isGone(path: string): boolean {
    const star = path.indexOf('.*.');
    return star >= 0 && this.steps.get(path.slice(0, star))?.count !== undefined;
  }

  private stepAt(path: string): StepNode {
    const known = this.nodes.get(path);
    if (known) return known;
    const step = this.steps.get(path) ?? null;
    const { scope, last: id } = cut(path);
    const made: StepNode = {
      kind: 'step',
      path,
      id,
      step,
      place: step?.place ?? Number.POSITIVE_INFINITY,
      children: [],
    };
    this.nodes.set(path, made);
    this.around(scope, step).push(made);
    return made;
  }

  /** Where a step of a scope belongs: into the step around it, or directly into the scope. */
  private around(scope: string, step: Step | null): { push: (node: StepNode) => number } {
    const inside = step?.inside;
    const owner = scope === '' ? undefined : splitScope(scope).id;
    if (inside === undefined || inside === owner) return scope === '' ? this.roots : this.scopeAt(scope).children;
    const container = this.stepAt(join(scope, inside));
    return step?.arm ? this.armAt(container, step.arm).children : container.children;
  }

  private scopeAt(path: string): GroupNode {
    const { scope, id, kind, number, label } = splitScope(path);
    return this.group(path, kind, label, number, () => this.stepAt(join(scope, id)));
  }

  private armAt(container: StepNode, arm: string): GroupNode {
    const label = `${arm.charAt(0).toUpperCase()}${arm.slice(1)}`;
    return this.group(`${container.path}/${arm}`, 'arm', label, Number.POSITIVE_INFINITY, () => container);
  }

  private group(path: string, kind: GroupNode['kind'], label: string, place: number, parent: () => StepNode) {
    const known = this.groups.get(path);
    if (known) return known;
    const made: GroupNode = { kind, path, label, state: 'skipped', place, children: [] };
    this.groups.set(path, made);
    parent().children.push(made);
    return made;
  }
}

/** A retry that started over shows its first round as the others. */
function inRounds(node: StepNode) {
  if (!node.children.some(({ kind }) => kind === 'round')) return;
  const rounds = node.children.filter(({ kind }) => kind === 'round');
  const children = node.children.filter(({ kind }) => kind !== 'round');
  sort(children);
  const first: GroupNode = {
    kind: 'round',
    path: `${node.path}~1`,
    label: 'Round 1',
    state: 'skipped',
    place: 1,
    children,
  };
  node.children = [first, ...rounds];
}

/** Items and rounds stand by their numbers, all else as in the document. */
function sort(children: TreeNode[]) {
  children.sort((a, b) => placeOf(a) - placeOf(b));
}

/** Where a node stands among its siblings: a part of a step stands where its first step does. */
function placeOf(node: TreeNode): number {
  if (node.kind === 'item' || node.kind === 'round' || Number.isFinite(node.place)) return node.place;
  return Math.min(Number.MAX_SAFE_INTEGER, ...node.children.map(placeOf));
}

function join(scope: string, id: string): string {
  return scope === '' ? id : `${scope}.${id}`;
}

/** Splits a path at its last point. */
function cut(path: string): { scope: string; last: string } {
  const dot = path.lastIndexOf('.');
  return { scope: dot < 0 ? '' : path.slice(0, dot), last: path.slice(dot + 1) };
}

/** Splits "each.3" into the scope around, the loop's id and the words for the item; "again~2" is a round. */
function splitScope(path: string) {
  const { scope, last } = cut(path);
  const [owner = '', round] = last.split('~');
  if (round !== undefined) {
    return { scope, id: owner, kind: 'round' as const, number: Number(round), label: `Round ${round}` };
  }
  const { scope: outer, last: id } = cut(scope);
  const number = last === '*' ? 0 : Number(last);
  return { scope: outer, id, kind: 'item' as const, number, label: last === '*' ? 'Each item' : `Item ${number + 1}` };
}

/** Gives each group the state of what is most urgent inside. */
function settle(node: TreeNode, goesOn: boolean): StepState {
  const states = node.children.map((child) => settle(child, goesOn));
  if (node.kind === 'step') return node.step?.state ?? mostUrgent(states, goesOn);
  node.state = mostUrgent(states, goesOn);
  return node.state;
}

function mostUrgent(states: StepState[], goesOn: boolean): StepState {
  const found = urgency.find((state) => states.includes(state)) ?? 'pending';
  const hasBegun = states.some((state) => state !== 'pending' && state !== 'skipped');
  // Between two steps something goes on, or was cut off.
  if (found === 'pending' && hasBegun) return goesOn ? 'running' : 'cancelled';
  return found;
}

/** The state that a node shows. */
export function stateOf(node: TreeNode): StepState {
  if (node.kind !== 'step') return node.state;
  return node.step?.state ?? mostUrgent(node.children.map(stateOf), true);
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

/** Whether what is inside a node shows while nobody said otherwise: not what was decided against, and few items. */
function isUsuallyOpen(node: TreeNode, siblings: number): boolean {
  if (stateOf(node) === 'skipped') return false;
  return node.kind === 'step' || siblings <= openItems;
}

/** The lines of the tree. changed holds the paths that somebody opened or closed against what is usual. */
export function rowsOf(roots: StepNode[], changed: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const add = (node: TreeNode, level: number, siblings: number) => {
    const open = node.children.length === 0 ? null : changed.has(node.path) !== isUsuallyOpen(node, siblings);
    rows.push({ node, level, open });
    if (!open) return;
    for (const child of node.children) add(child, level + 1, node.children.length);
  };
  for (const root of roots) add(root, 1, 1);
  return rows;
}

/** The nodes around a path, outermost first; null where the path is not in the tree. */
function chainTo(nodes: TreeNode[], path: string): TreeNode[] | null {
  for (const node of nodes) {
    if (node.path === path) return [];
    const rest = chainTo(node.children, path);
    if (rest) return [node, ...rest];
  }
  return null;
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
  let siblings = 1;
  for (const node of chainTo(roots, path) ?? []) {
    if (changed.has(node.path) === isUsuallyOpen(node, siblings)) now = flipped(now, node.path);
    siblings = node.children.length;
  }
  return now;
}

/**
 * The paths of the steps that failed or whose outcome is unknown, in the order of the tree. What was caught, or went well in
 * a later round, is no problem.
 */
export function problemsIn(roots: StepNode[]): string[] {
  const found: string[] = [];
  const look = (node: TreeNode) => {
    const state = stateOf(node);
    if (state === 'succeeded') return;
    if (node.children.length === 0 && (state === 'failed' || state === 'unknown')) found.push(node.path);
    node.children.forEach(look);
  };
  roots.forEach(look);
  return found;
}

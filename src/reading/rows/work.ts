import { ITEM_KINDS, type ItemKind } from '../../domain/outline.ts';
import { formatChange } from '../diff.ts';
import { formatDuration, formatNanos, plural } from '../format.ts';
import { hasFailed, hasFlag, isCall, KIND } from './columns.ts';
import { commitsOf } from './commits.ts';
import type { OutlineIndex } from './outline-index.ts';

/** What happened in one turn. */
export interface Work {
  readonly counts: Readonly<Partial<Record<ItemKind, number>>>;
  /** Calls that failed, by kind. */
  readonly failed: Readonly<Partial<Record<ItemKind, number>>>;
  /** Calls that were not allowed, by kind: they did nothing, so they did not fail. */
  readonly denied: Readonly<Partial<Record<ItemKind, number>>>;
  /** Sub-agents that were started. */
  readonly agents: number;
  /** Other calls that concern agents, such as messages to them. */
  readonly agentCalls: number;
  readonly ticks: readonly Tick[];
}

/** One step of the work, or several consecutive ones. */
export interface Tick {
  readonly kind: ItemKind;
  readonly isError: boolean;
  readonly count: number;
}

const MAX_TICKS = 72;

/** Reads the work of a turn; it needs its items only, so it is done for turns in view. */
export function workOf(index: OutlineIndex, turn: number): Work {
  const { columns, order } = index;
  const counts: Partial<Record<ItemKind, number>> = {};
  const failed: Partial<Record<ItemKind, number>> = {};
  const denied: Partial<Record<ItemKind, number>> = {};
  const steps: Tick[] = [];
  let started = 0;
  /** Agent calls that started any. */
  let starts = 0;
  for (let at = index.starts[turn] ?? 0; at < (index.ends[turn] ?? 0); at += 1) {
    const item = order[at] as number;
    const number = columns.kind[item] as number;
    const kind = ITEM_KINDS[number] as ItemKind;
    counts[kind] = (counts[kind] ?? 0) + 1;
    const isError = hasFailed(columns, item);
    const isTool = isCall(columns, item);
    const agents = isTool ? (index.startedBy.get(item)?.length ?? 0) : 0;
    started += agents;
    if (agents > 0 && kind === 'agent') starts += 1;
    if (isError && isTool) failed[kind] = (failed[kind] ?? 0) + 1;
    if (hasFlag(columns, item, 'denied')) denied[kind] = (denied[kind] ?? 0) + 1;
    if (isTool || number === KIND.error) steps.push({ kind, isError, count: 1 });
  }
  const agents = started + (index.looseIn.get(turn)?.length ?? 0);
  const agentCalls = (counts.agent ?? 0) - starts;
  return { counts, failed, denied, agents, agentCalls, ticks: mergeTicks(steps, MAX_TICKS) };
}

/** Merges ticks to a maximum number: first neighbors of one kind, then any neighbors. Errors stay visible. */
export function mergeTicks(steps: readonly Tick[], max: number): readonly Tick[] {
  if (steps.length <= max) return steps;
  const alike = mergeWhere(steps, (a, b) => a.kind === b.kind && a.isError === b.isError);
  if (alike.length <= max) return alike;
  const perTick = Math.ceil(alike.length / max);
  const merged: Tick[] = [];
  for (let at = 0; at < alike.length; at += perTick) merged.push(joinTicks(alike.slice(at, at + perTick)));
  return merged;
}

function mergeWhere(steps: readonly Tick[], isAlike: (a: Tick, b: Tick) => boolean): readonly Tick[] {
  const merged: Tick[] = [];
  for (const step of steps) {
    const last = merged.at(-1);
    if (last !== undefined && isAlike(last, step))
      merged[merged.length - 1] = { ...last, count: last.count + step.count };
    else merged.push(step);
  }
  return merged;
}

/** The most frequent kind represents all of them. */
function joinTicks(ticks: readonly Tick[]): Tick {
  const error = ticks.find(({ isError }) => isError);
  const longest = ticks.reduce((a, b) => (b.count > a.count ? b : a));
  return {
    kind: (error ?? longest).kind,
    isError: error !== undefined,
    count: ticks.reduce((sum, { count }) => sum + count, 0),
  };
}

/** One part of the sentence about a turn, such as `ran 5` with `1 failed`. */
export interface WorkPart {
  readonly kind: ItemKind | null;
  readonly text: string;
  readonly failed: number;
  readonly denied: number;
  readonly isCommit?: boolean;
}

const VERBS: readonly (readonly [ItemKind, string])[] = [
  ['read', 'read'],
  ['write', 'edited'],
  ['run', 'ran'],
  ['web', 'web'],
  ['mcp', 'MCP'],
  ['task', 'tasks'],
];

/** `read 6 · edited 2 (+24 −3) · ran 5, 1 failed · 2 agents · 4m · $0.65`. */
export function workParts(index: OutlineIndex, turn: number, work: Work): readonly WorkPart[] {
  const { turns } = index;
  const parts: WorkPart[] = [];
  const change = { added: turns.lines_added[turn] ?? 0, removed: turns.lines_removed[turn] ?? 0 };
  for (const [kind, verb] of VERBS) {
    const count = work.counts[kind] ?? 0;
    if (count === 0) continue;
    const lines = kind === 'write' && change.added + change.removed > 0 ? ` (${formatChange(change)})` : '';
    parts.push({ kind, text: `${verb} ${count}${lines}`, ...lossesOf(work, kind) });
  }
  const others = work.counts.other_tool ?? 0;
  if (others > 0)
    parts.push({ kind: 'other_tool', text: plural(others, 'other call'), ...lossesOf(work, 'other_tool') });
  const { agents, agentCalls } = work;
  const losses = lossesOf(work, 'agent');
  if (agents > 0)
    parts.push({ kind: 'agent', text: plural(agents, 'agent'), ...(agentCalls === 0 ? losses : NO_LOSSES) });
  if (agentCalls > 0) parts.push({ kind: 'agent', text: plural(agentCalls, 'agent call'), ...losses });
  const commits = Math.max(turns.commits[turn] ?? 0, commitsOf(index, turn).length);
  if (commits > 0) parts.push({ kind: null, text: plural(commits, 'commit'), ...NO_LOSSES, isCommit: true });
  const duration = turns.duration_ms[turn] ?? null;
  if (duration !== null) parts.push({ kind: null, text: formatDuration(duration), ...NO_LOSSES });
  const cost = turns.cost[turn] ?? null;
  if (cost !== null) parts.push({ kind: null, text: formatNanos(cost), ...NO_LOSSES });
  return parts;
}

const NO_LOSSES = { failed: 0, denied: 0 } as const;

function lossesOf({ failed, denied }: Work, kind: ItemKind): Pick<WorkPart, 'failed' | 'denied'> {
  return { failed: failed[kind] ?? 0, denied: denied[kind] ?? 0 };
}

/** The parts as one sentence. */
export function workText(parts: readonly WorkPart[]): string {
  return parts.map(({ text, ...losses }) => [text, ...lossTexts(losses)].join(', ')).join(' · ');
}

function lossTexts({ failed, denied }: Pick<WorkPart, 'failed' | 'denied'>): readonly string[] {
  return [failed > 0 ? `${failed} failed` : '', denied > 0 ? `${denied} denied` : ''].filter((text) => text !== '');
}

/** Failed calls of a turn; denied ones are not among them. */
export function failuresIn(index: OutlineIndex, turn: number): number {
  return index.turns.tool_errors[turn] ?? 0;
}

import { firstLine, formatCompact, formatDuration, formatNanos, plural, withoutCodeMarks } from '../format.ts';
import { isInherited, type OutlineIndex } from '../rows/outline-index.ts';
import { failuresIn } from '../rows/work.ts';
import { agentName } from './agents.ts';
import type { Graph, GraphNode } from './graph.ts';

const MAX_TITLE_CHARS = 160;

/** The name of a turn: what was asked, on one line. */
export function turnTitle({ turns }: OutlineIndex, turn: number): string {
  const line = firstLine(withoutCodeMarks(turns.excerpt[turn] ?? ''), MAX_TITLE_CHARS);
  return line === '' ? (turns.origin[turn] ?? '').replaceAll('_', ' ') : line;
}

/** Tokens in the context at the end of a turn; null if unknown. */
export function contextAfter({ columns, order, starts, ends }: OutlineIndex, turn: number): number | null {
  for (let at = (ends[turn] as number) - 1; at >= (starts[turn] as number); at -= 1) {
    const context = columns.context[order[at] as number] as number;
    if (!Number.isNaN(context)) return context;
  }
  return null;
}

/** Cost, time and work of a turn, shortest first. */
function turnFacts(index: OutlineIndex, turn: number): readonly string[] {
  const { turns } = index;
  const cost = turns.cost[turn] ?? null;
  const duration = turns.duration_ms[turn] ?? null;
  const calls = turns.tool_calls[turn] ?? 0;
  const errors = failuresIn(index, turn);
  const commits = turns.commits[turn] ?? 0;
  return [
    cost === null ? '' : formatNanos(cost),
    duration === null ? '' : formatDuration(duration),
    calls === 0 ? '' : plural(calls, 'call'),
    errors === 0 ? '' : `${errors} failed`,
    commits === 0 ? '' : plural(commits, 'commit'),
  ].filter((fact) => fact !== '');
}

/** `167k → 12k tokens`, as far as known. */
function compactionFacts({ compactions }: OutlineIndex, compaction: number): string {
  const { pre_tokens = null, post_tokens = null } = compactions[compaction] ?? {};
  if (pre_tokens === null) return '';
  return post_tokens === null
    ? `${formatCompact(pre_tokens)} tokens before`
    : `${formatCompact(pre_tokens)} → ${formatCompact(post_tokens)} tokens`;
}

/** State, cost, time and work of an agent without messages of its own, and why it has none. */
function silentFacts({ agents }: OutlineIndex, silent: number): readonly string[] {
  const { status = null, cost_nanos = null, stats, session_id = null } = agents[silent] ?? {};
  const { tool_calls = 0, wall_ms = null } = stats ?? {};
  return [
    (status ?? '').replaceAll('_', ' '),
    cost_nanos === null ? '' : formatNanos(cost_nanos),
    wall_ms === null ? '' : formatDuration(wall_ms),
    tool_calls === 0 ? '' : plural(tool_calls, 'call'),
    session_id === null ? 'no messages stored' : 'in a session of its own',
  ].filter((fact) => fact !== '');
}

/** The figures of a node, shortest first. */
export function nodeFacts(index: OutlineIndex, { turn, compaction, silent }: GraphNode): readonly string[] {
  if (compaction >= 0) return [compactionFacts(index, compaction)].filter((fact) => fact !== '');
  return silent >= 0 ? silentFacts(index, silent) : turnFacts(index, turn);
}

interface NodeText {
  /** Whose work it is; null for the main conversation, and if the title says so. */
  readonly agent: string | null;
  readonly title: string;
  readonly facts: readonly string[];
}

/** A node in words, for lists and screen readers. */
export function describeNode(index: OutlineIndex, node: GraphNode, { lanes }: Graph): NodeText {
  const { turn, compaction, silent } = node;
  const lane = lanes[node.lane];
  const agent = lane === undefined || lane.agent < 0 ? null : agentName(index.agents[lane.agent]);
  const facts = nodeFacts(index, node);
  if (silent >= 0) return { agent: null, title: agentName(index.agents[silent]), facts };
  if (compaction >= 0) return { agent, title: 'Compaction', facts };
  const notes = [
    lane?.isAbandoned === true || index.turns.branch[turn] === 1 ? 'abandoned' : '',
    isInherited(index, turn) ? 'copied' : '',
  ];
  return { agent, title: turnTitle(index, turn), facts: [...facts, ...notes].filter((fact) => fact !== '') };
}

/** `22 turns, 1 abandoned branch, 5 agents, 1 compaction`. */
export function describeGraph({ nodes, lanes }: Graph): string {
  const count = (kind: string) => lanes.filter((lane) => lane.kind === kind && lane.nodes.length > 0).length;
  const compactions = nodes.filter(({ compaction }) => compaction >= 0).length;
  const silent = nodes.filter((node) => node.silent >= 0).length;
  const parts: readonly (readonly [number, string, string])[] = [
    [nodes.length - compactions - silent, 'turn', 'turns'],
    [count('branch'), 'abandoned branch', 'abandoned branches'],
    [count('agent'), 'agent', 'agents'],
    [count('teammate'), 'teammate', 'teammates'],
    [compactions, 'compaction', 'compactions'],
  ];
  return parts
    .filter(([number], at) => number > 0 || at === 0)
    .map(([number, one, many]) => plural(number, one, many))
    .join(', ');
}

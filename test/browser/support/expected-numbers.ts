import type { GitActivityRow } from '../../../src/api/activity.ts';
import type { Subagent } from '../../../src/api/agents.ts';
import type { SessionDetail } from '../../../src/api/sessions.ts';
import type { BranchPoint, ToolCall, TurnRow } from '../../../src/api/structure.ts';
import type { App } from '../../../src/app/open-app.ts';
import { NANOS_PER_DOLLAR } from '../../../src/domain/usage.ts';
import { formatCompact, formatCost, formatCount, formatDuration, plural } from '../../../src/reading/format.ts';
import { toolKind } from '../../../src/reading/kinds.ts';
import { describeAgent } from '../../../src/reading/parts.ts';
import type { Shown } from './shown-numbers.ts';

/** The lists of a session according to the API, except the outline, from which the page is drawn. */
export interface Lists {
  readonly detail: SessionDetail;
  readonly turns: readonly TurnRow[];
  readonly calls: readonly ToolCall[];
  readonly branches: readonly BranchPoint[];
  readonly subagents: readonly Subagent[];
  /** Ids of teammates that run in separate processes. */
  readonly apart: ReadonlySet<string>;
  readonly commits: readonly GitActivityRow[];
  /** Turns in which the API itself used a tool, one entry per use; these are not client calls. */
  readonly serverUses: readonly (string | null)[];
}

export async function readLists(app: App, id: string): Promise<Lists> {
  const params = { id };
  const query = { limit: 1_000 };
  const [
    detail,
    { turns },
    { tool_calls },
    { branches },
    { subagents },
    { git_activity },
    { messages },
    { teammates },
  ] = await Promise.all([
    app.get('/sessions/:id', { params }),
    app.get('/sessions/:id/turns', { params, query }),
    app.get('/sessions/:id/tool-calls', { params, query }),
    app.get('/sessions/:id/branches', { params, query }),
    app.get('/sessions/:id/subagents', { params, query }),
    app.get('/sessions/:id/git', { params, query }),
    app.get('/sessions/:id/transcript', { params, query }),
    app.get('/sessions/:id/teams', { params }),
  ]);
  const copies: readonly unknown[] = ['amend', 'rebase', 'am'];
  const commits = git_activity.filter(({ type, session_id, relation, linked_by, data }) => {
    const isNew = type === 'commit' ? !copies.includes(data['how']) : type === 'merge' && linked_by === 'sha';
    return isNew && session_id === detail.id && relation === 'own';
  });
  const starts = new Set(turns.map(({ id }) => id));
  let turn: string | null = null;
  const serverUses = messages.flatMap(({ id, content_blocks }) => {
    if (starts.has(id)) turn = id;
    return content_blocks.filter(({ block_type }) => block_type === 'server_tool_use').map(() => turn);
  });
  const apart = new Set(teammates.filter(({ agent_ids }) => agent_ids.length === 0).map(({ id }) => id));
  return { detail, turns, calls: tool_calls, branches, subagents, apart, commits, serverUses };
}

const dollarsOf = (nanos: number | null) => (nanos === null ? [] : [formatCost(nanos / NANOS_PER_DOLLAR)]);

/** The figures of the session panel. */
export function expectedFacts({ detail }: Lists): Readonly<Record<string, string>> {
  const agents = detail.subagent_count ?? 0;
  return {
    Input: formatCompact(detail.tokens_in),
    Output: formatCompact(detail.tokens_out),
    'Cache read': formatCompact(detail.cache_read_tokens),
    'Cache write': formatCompact(detail.cache_write_tokens),
    Messages: formatCount(detail.total_messages),
    'Tool calls': formatCount(detail.tool_use_count),
    ...(agents === 0 ? {} : { 'Sub-agents': formatCount(agents) }),
    Duration: formatDuration(detail.duration_ms),
  };
}

/** Turns of the main conversation that were not abandoned by a rewind, by number. */
export function currentTurns({ turns, branches }: Lists): readonly number[] {
  const left = new Set(
    branches.flatMap(({ turn_ids, current_turn_id }) => turn_ids.filter((id) => id !== current_turn_id)),
  );
  for (const { id, parent_turn_id } of turns) if (left.has(parent_turn_id ?? '')) left.add(id);
  return turns.flatMap(({ id, agent_id }, at) => (agent_id === null && !left.has(id) ? [at] : []));
}

/** The facts below the prompt of a turn in the outline. */
export function expectedChapter(lists: Lists, turn: number): readonly string[] {
  const { cost_nanos, stats } = lists.turns[turn] as TurnRow;
  const failed = stats.tool_errors;
  return [
    ...dollarsOf(cost_nanos),
    ...(stats.lines_added + stats.lines_removed > 0 ? [`+${stats.lines_added} −${stats.lines_removed}`] : []),
    ...(failed === 0 ? [] : [`✗ ${failed}`]),
  ];
}

function deniedIn({ turns, calls }: Lists, turn: number): number {
  return calls.filter(({ turn_id, status }) => turn_id === turns[turn]?.id && status === 'denied').length;
}

/** Commits made by calls of a turn, and commits without a known call made between its start and that of the next turn. */
export function commitsOf(lists: Lists, turn: number): number {
  const { turns, calls, commits } = lists;
  const turnOfCall = new Map(calls.map(({ id, turn_id }) => [id, turn_id]));
  return commits.filter(({ tool_use_id, timestamp }) => {
    const turnId = turnOfCall.get(tool_use_id ?? '') ?? null;
    const isBefore = ({ agent_id, stats: { started_at } }: TurnRow) =>
      agent_id === null && started_at !== null && started_at <= timestamp;
    const from = turnId === null ? turns.findLast(isBefore) : turns.find(({ id }) => id === turnId);
    return chapterOf(lists, from) === turn;
  }).length;
}

/** A turn of an agent belongs to the turn that started it, an abandoned turn to the one it branches off from. */
function chapterOf(lists: Lists, turn: TurnRow | undefined): number {
  const { turns, calls, subagents } = lists;
  const current = new Set(currentTurns(lists));
  const byId = (id: string | null | undefined) => turns.find((other) => other.id === id);
  const seen = new Set<TurnRow>();
  for (let at = turn; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    const { agent_id, parent_turn_id } = at;
    const number = turns.indexOf(at);
    if (current.has(number)) return number;
    const agent = subagents.find((one) => one.agent_id === agent_id);
    const call = calls.find(({ id }) => id === agent?.spawning_tool_use_id);
    at = byId(agent_id === null ? parent_turn_id : call?.turn_id);
  }
  return -1;
}

const VERBS = {
  read: 'read',
  write: 'edited',
  run: 'ran',
  web: 'web',
  mcp: 'MCP',
  task: 'tasks',
  other_tool: 'other calls',
} as const;

/** The work of a turn in numbers: calls by kind, failures, changed lines, commits, duration and cost. */
export function expectedStrip(lists: Lists, turn: number): Readonly<Record<string, number | string>> {
  const { id, cost_nanos, duration_ms, stats } = lists.turns[turn] as TurnRow;
  // A result without a call: its call is not part of the transcript and has no name.
  const own = lists.calls.filter(({ turn_id, agent_id, name }) => turn_id === id && agent_id === null && name !== null);
  const spawning = new Set(lists.subagents.map(({ spawning_tool_use_id }) => spawning_tool_use_id));
  const startsAgent = (call: ToolCall) => spawning.has(call.id) || lists.apart.has(call.spawned_agent_id ?? '');
  const count = (kind: string) => own.filter(({ name }) => toolKind(name) === kind).length;
  const counts = Object.entries(VERBS).map(([kind, verb]) => [verb, count(kind)] as const);
  const numbers = {
    ...Object.fromEntries(counts),
    web: count('web') + lists.serverUses.filter((turnId) => turnId === id).length,
    'agent calls': own.filter((call) => toolKind(call.name) === 'agent' && !startsAgent(call)).length,
    agents: own.filter(startsAgent).length,
    failed: stats.tool_errors,
    denied: deniedIn(lists, turn),
    commits: commitsOf(lists, turn),
    lines: stats.lines_added + stats.lines_removed === 0 ? 0 : `+${stats.lines_added} −${stats.lines_removed}`,
    duration: duration_ms === null ? 0 : formatDuration(duration_ms),
    cost: dollarsOf(cost_nanos)[0] ?? 0,
  };
  return Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0));
}

/** Agents without a known call count in the turn during which they started. */
export function looseAgents({ subagents, calls }: Lists): number {
  const known = new Set(calls.filter(({ name }) => name !== null).map(({ id }) => id));
  return subagents.filter(
    ({ spawning_tool_use_id, stats }) => !known.has(spawning_tool_use_id ?? '') && stats.messages > 0,
  ).length;
}

const COUNTED = /^(read|edited|ran|web|MCP|tasks) (\d+)/;
const NAMED = /^(\d+) (agent call|other call|agent|commit)s?/;

/** The numbers in the sentence about a turn. */
export function readStrip(parts: readonly string[]): Readonly<Record<string, number | string>> {
  const numbers: Record<string, number | string> = {};
  for (const part of parts) {
    const counted = COUNTED.exec(part);
    const named = NAMED.exec(part);
    if (counted !== null) numbers[counted[1] as string] = Number(counted[2]);
    else if (named !== null) numbers[`${named[2]}s`] = Number(named[1]);
    else numbers[part.includes('$') ? 'cost' : 'duration'] = part;
    for (const [, count, loss] of part.matchAll(/, (\d+) (failed|denied)/g))
      numbers[loss as string] = Number(numbers[loss as string] ?? 0) + Number(count);
    const lines = /\((\+\d+ −\d+)\)/.exec(part);
    if (lines !== null) numbers['lines'] = lines[1] as string;
  }
  return numbers;
}

/** Branches are folded where the conversation was rewound. */
export function expectedWays(lists: Lists): readonly string[] {
  return lists.branches.map(({ turn_ids }) => `${plural(turn_ids.length, 'way')} from here`);
}

export function expectedAgents({ subagents }: Lists): Shown['agents'] {
  return subagents.map(describeAgent).map(({ name, facts }) => ({ name, facts }));
}

import type { Outline } from '../api/outline.ts';
import { type BlockHead, ITEM_FLAGS, ITEM_KINDS, type MessageHead, type OutlineParts } from '../domain/outline.ts';
import { OutlineHeads } from './outline-heads.ts';
import { placeCommits } from './outline-commits.ts';
import { readTurns, type Turns } from './outline-turns.ts';

const NONE = -1;

/** Builds outlines from the columns of messages and blocks, which are added in order. */
export interface OutlineBuilder {
  /** Both lists in order, the blocks of exactly these messages. */
  add(messages: readonly MessageHead[], blocks: readonly BlockHead[]): void;
  /** Takes back all messages from this position on, to add them again as they are now. */
  cut(ordinal: number): void;
  /** The outline of what was added so far. */
  finish(revision: string, parts: OutlineParts): Outline;
}

export function createOutline(): OutlineBuilder {
  const heads = new OutlineHeads();
  return {
    add: (messages, blocks) => heads.add(messages, blocks),
    cut: (ordinal) => heads.cut(ordinal),
    finish: (revision, parts) => finish(heads, revision, parts),
  };
}

function finish(heads: OutlineHeads, revision: string, parts: OutlineParts): Outline {
  const shown = shownItems(heads);
  const agents = numberAgents(heads, shown, parts);
  const turns = readTurns({ heads, shown, parts, agents: agents.numbers });
  const items = toColumns(heads, { shown, parts, turns, agents: agents.numbers });
  return {
    revision,
    since: null,
    agents: agents.list,
    items,
    kinds: [...ITEM_KINDS],
    turns: turns.columns,
    branches: turns.branches,
    compactions: parts.compactions.flatMap(({ ordinal, agent_id, trigger_name, ...rest }) => {
      const agent = agents.numbers.get(agent_id ?? '') ?? NONE;
      return ordinal === null ? [] : [{ ordinal, agent, trigger: trigger_name, ...rest }];
    }),
    commits: placeCommits(parts.commits, turns.commitTurns, items, (id) => heads.columns.ordinal[callItem(heads, id)]),
  };
}

/** All items but results that came before their call. */
function shownItems({ columns, calledAt, count }: OutlineHeads): readonly number[] {
  const shown: number[] = [];
  for (let item = 0; item < count; item += 1) {
    const call = columns.resultOf[item] as number;
    if (call === NONE || calledAt[call] === NONE) shown.push(item);
  }
  return shown;
}

/** The first item of a call; -1 if it has none. */
function callItem({ calls, itemOf }: OutlineHeads, toolUseId: string | null): number {
  return toolUseId === null ? NONE : (itemOf[calls.known(toolUseId)] ?? NONE);
}

/** Agents with what is known about them, then those that are only named by messages. */
function numberAgents(heads: OutlineHeads, shown: readonly number[], { agents }: OutlineParts) {
  const { columns } = heads;
  const list: Outline['agents'][number][] = agents.map(({ spawning_tool_use_id, ...agent }) => {
    const item = callItem(heads, spawning_tool_use_id);
    return { ...agent, call_ordinal: columns.ordinal[item] ?? NONE, call_block: columns.block[item] ?? NONE };
  });
  const numbers = new Map(list.map(({ agent_id }, at) => [agent_id, at]));
  const seen = new Set<number>();
  for (const item of shown) seen.add(columns.agent[item] as number);
  for (const number of seen) {
    const id = heads.agents.list[number];
    if (id === undefined || numbers.has(id)) continue;
    numbers.set(id, list.length);
    list.push({ ...UNKNOWN_AGENT, agent_id: id });
  }
  return { list, numbers };
}

const UNKNOWN_AGENT: Omit<Outline['agents'][number], 'agent_id'> = {
  agent_type: null,
  agent_name: null,
  team_name: null,
  description: null,
  model: null,
  status: null,
  cost_nanos: null,
  stats: { messages: 0, tool_calls: 0, wall_ms: null },
  last_line: null,
  session_id: null,
  call_ordinal: NONE,
  call_block: NONE,
};

interface Lookup {
  readonly shown: readonly number[];
  readonly parts: OutlineParts;
  readonly turns: Turns;
  readonly agents: ReadonlyMap<string, number>;
}

function toColumns(heads: OutlineHeads, { shown, parts, turns, agents }: Lookup): Outline['items'] {
  const { columns, results, lastResult } = heads;
  const of = <T>(column: readonly T[]): readonly T[] => shown.map((item) => column[item] as T);
  const agentNumbers = heads.agents.list.map((id) => agents.get(id) ?? NONE);
  const statuses = new Map(parts.calls.map(({ id, status }) => [heads.calls.known(id), status]));
  const resultAt = (item: number) => results[lastResult[columns.call[item] as number] ?? NONE];
  return {
    ordinal: of(columns.ordinal),
    block: of(columns.block),
    kind: of(columns.kind),
    turn: shown.map((item) => turns.numbers[columns.turn[item] as number] ?? NONE),
    agent: shown.map((item) => agentNumbers[columns.agent[item] as number] ?? NONE),
    time: of(columns.time),
    size: shown.map((item) => (columns.size[item] as number) + (resultAt(item)?.bytes ?? 0)),
    flags: shown.map((item) => {
      const call = columns.call[item] as number;
      const turn = turns.numbers[columns.turn[item] as number] ?? NONE;
      const isAbandoned = turns.columns.branch[turn] === 1;
      const ofCall = call === NONE ? 0 : callFlags(resultAt(item)?.flags, statuses.get(call));
      return (columns.flags[item] as number) | ofCall | (isAbandoned ? ITEM_FLAGS.abandoned : 0);
    }),
    result: shown.map((item) => resultAt(item)?.ordinal ?? NONE),
    cost: of(columns.cost),
    context: of(columns.context),
  };
}

/** As in the counts of turns and sessions: an interrupted call did not fail, although its result says so. */
const FAILED: ReadonlySet<string> = new Set(['error', 'denied']);

function callFlags(result: number | undefined, status: string | undefined): number {
  const state = status ?? (result === undefined ? 'pending' : 'ok');
  const isError = FAILED.has(state) || (state === 'ok' && ((result ?? 0) & ITEM_FLAGS.error) !== 0);
  return (
    ((result ?? 0) & ITEM_FLAGS.hasImage) |
    (isError ? ITEM_FLAGS.error : 0) |
    (state === 'denied' ? ITEM_FLAGS.denied : 0) |
    (state === 'pending' || state === 'interrupted' ? ITEM_FLAGS.unfinished : 0)
  );
}

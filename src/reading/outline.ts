import type { Outline } from '../api/outline.ts';
import { type BlockHead, ITEM_KINDS, type MessageHead, type OutlineParts } from '../domain/outline.ts';
import { firstLine } from './format.ts';
import { OutlineColumns, type UpdatedItems } from './outline-columns.ts';
import { OutlineHeads } from './outline-heads.ts';
import { readTurns, type Turns } from './outline-turns.ts';

const NONE = -1;

/** The columns of its items are extended in place when the next outline is finished. */
export interface FinishedOutline extends Omit<UpdatedItems, 'items'> {
  readonly outline: Outline;
}

/** Builds outlines from the columns of messages and blocks, which are added in order. */
export interface OutlineBuilder {
  /** Both lists in order, the blocks of exactly these messages. */
  add(messages: readonly MessageHead[], blocks: readonly BlockHead[]): void;
  /** Removes all messages from this position on, to add their current versions. */
  cut(ordinal: number): void;
  /** The outline of what was added so far. The work grows with what is new, and with the number of turns and agents. */
  finish(revision: string, parts: OutlineParts): FinishedOutline;
}

export function createOutline(): OutlineBuilder {
  const heads = new OutlineHeads();
  const columns = new OutlineColumns();
  const places = new CommitPlaces();
  return {
    add: (messages, blocks) => heads.add(messages, blocks),
    cut: (ordinal) => {
      heads.cut(ordinal);
      places.cut(heads.count);
    },
    finish: (revision, parts) => {
      const agents = numberAgents(heads, parts);
      const turns = readTurns({ heads, parts, agents: agents.numbers });
      const { items, ...update } = columns.update(heads, {
        turns: turns.numbers,
        agents: heads.agents.list.map((id) => agents.numbers.get(id) ?? NONE),
        abandoned: turns.columns.branch,
        statuses: new Map(parts.calls.map(({ id, status }) => [heads.calls.known(id), status])),
      });
      if (update.changed === null) places.cut(0);
      return {
        ...update,
        outline: { revision, since: null, items, ...restOf(heads, { parts, agents, turns, places, items }) },
      };
    },
  };
}

interface Finished {
  readonly parts: OutlineParts;
  readonly agents: ReturnType<typeof numberAgents>;
  readonly turns: Turns;
  readonly places: CommitPlaces;
  readonly items: Outline['items'];
}

function restOf(heads: OutlineHeads, { parts, agents, turns, places, items }: Finished) {
  return {
    agents: agents.list,
    kinds: [...ITEM_KINDS],
    turns: turns.columns,
    branches: turns.branches,
    compactions: parts.compactions.flatMap(({ ordinal, agent_id, trigger_name, ...rest }) => {
      const agent = agents.numbers.get(agent_id ?? '') ?? NONE;
      return ordinal === null ? [] : [{ ordinal, agent, trigger: trigger_name, ...rest }];
    }),
    commits: placeCommits(parts.commits, turns.commitTurns, (at, id) => {
      const item = callItem(heads, id);
      return item === NONE ? places.lastBefore(items, at) : (heads.columns.ordinal[item] as number);
    }),
  };
}

/** The first item of a call; -1 if it has none. */
function callItem({ calls, itemOf }: OutlineHeads, toolUseId: string | null): number {
  return toolUseId === null ? NONE : (itemOf[calls.known(toolUseId)] ?? NONE);
}

/** Agents with known facts, then those that only messages name. */
function numberAgents(heads: OutlineHeads, { agents }: OutlineParts) {
  const { columns } = heads;
  const list: Outline['agents'][number][] = agents.map(({ spawning_tool_use_id, ...agent }) => {
    const item = callItem(heads, spawning_tool_use_id);
    return { ...agent, call_ordinal: columns.ordinal[item] ?? NONE, call_block: columns.block[item] ?? NONE };
  });
  const numbers = new Map(list.map(({ agent_id }, at) => [agent_id, at]));
  const named = [...heads.agentItems.entries()].filter(([, own]) => own !== undefined && own.count > 0);
  for (const [number] of named.toSorted(([, a], [, b]) => a.first - b.first)) {
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

const MAX_MESSAGE_CHARS = 200;

/**
 * Where commits were made: at the call that made one or, if that is not known, at the last message of the main
 * conversation before it.
 */
export function placeCommits(
  commits: OutlineParts['commits'],
  turns: readonly number[],
  ordinalOf: (timeMs: number, toolUseId: string | null) => number,
): Outline['commits'] {
  return commits.map(({ sha, message, tool_use_id, timestamp }, at) => {
    const time = Date.parse(timestamp);
    return {
      sha,
      message: message === null ? null : firstLine(message, MAX_MESSAGE_CHARS),
      time,
      turn: turns[at] ?? NONE,
      ordinal: ordinalOf(time, tool_use_id),
    };
  });
}

/** Finds the positions of commits by their time. Nothing is searched twice. */
export class CommitPlaces {
  /** By time: how many items were searched, and the one that was found; -1 for none. */
  readonly #known = new Map<number, { readonly searched: number; readonly item: number }>();

  /** Forgets the results at or after an item. */
  cut(count: number): void {
    for (const [time, { searched, item }] of this.#known) {
      if (item >= count) this.#known.delete(time);
      else if (searched > count) this.#known.set(time, { searched: count, item });
    }
  }

  /** The position of the last message of the main conversation at or before this time; -1 if there is none. */
  lastBefore({ ordinal, agent, time }: Outline['items'], wanted: number): number {
    const known = this.#known.get(wanted) ?? { searched: 0, item: NONE };
    let item = ordinal.length - 1;
    const isAt = (at: number) => agent[at] === NONE && (time[at] ?? Number.POSITIVE_INFINITY) <= wanted;
    while (item >= known.searched && !isAt(item)) item -= 1;
    if (item < known.searched) item = known.item;
    this.#known.set(wanted, { searched: ordinal.length, item });
    return ordinal[item] ?? NONE;
  }
}

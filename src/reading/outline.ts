import type { Outline } from '../api/outline.ts';
import { ITEM_FLAGS, ITEM_KINDS, type ItemKind } from '../domain/outline.ts';
import { type BlockHead, type MessageHead, addItems } from './outline-items.ts';
import { type OutlineParts, readTurns } from './outline-turns.ts';

/** Builds an outline from the columns of messages and blocks, which are added in order. */
export function createOutline(): OutlineBuilder {
  const items: OutlineItem[] = [];
  const tools: Tools = { calls: new Set(), results: new Map() };
  const ordinals = new Map<string, number>();
  const turnCosts = new Map<string, number>();
  return {
    add: (messages, blocks) => {
      let at = 0;
      for (const message of messages) {
        ordinals.set(message.id, message.ordinal);
        addCost(turnCosts, message);
        const from = at;
        while (blocks[at]?.ordinal === message.ordinal) at += 1;
        addItems(items, message, blocks.slice(from, at));
      }
      noteTools(tools, blocks);
    },
    finish: (revision, parts) => {
      const shown = items.filter(({ resultOf }) => resultOf === null || !tools.calls.has(resultOf));
      return finish({ revision, items: shown, tools, ordinals, turnCosts, parts });
    },
  };
}

/** Also counts answers without an item; what was copied from another session is counted there. */
function addCost(costs: Map<string, number>, { turn_id, cost_nanos }: MessageHead): void {
  if (turn_id !== null && cost_nanos !== null) costs.set(turn_id, (costs.get(turn_id) ?? 0) + cost_nanos);
}

export interface OutlineBuilder {
  /** Both lists in order, the blocks of exactly these messages. */
  add(messages: readonly MessageHead[], blocks: readonly BlockHead[]): void;
  finish(revision: string, parts: OutlineParts): Outline;
}

/** One thing that can become a row. */
export interface OutlineItem {
  readonly message: MessageHead;
  readonly block: number;
  readonly kind: ItemKind;
  readonly size: number;
  readonly flags: number;
  readonly callId: string | null;
  /** The call of a result; a result is shown with its call if that is part of the session. */
  readonly resultOf: string | null;
  readonly isFirst: boolean;
}

interface Tools {
  readonly calls: Set<string>;
  readonly results: Map<string, FoundResult>;
}

interface FoundResult {
  readonly ordinal: number;
  readonly bytes: number;
  readonly isError: boolean;
  readonly hasImage: boolean;
}

function noteTools({ calls, results }: Tools, blocks: readonly BlockHead[]): void {
  for (const { ordinal, tool_use_id, tool_result_id, text_bytes, is_error, metadata } of blocks) {
    if (tool_use_id !== null) calls.add(tool_use_id);
    if (tool_result_id === null) continue;
    // An interrupted call can get a placeholder first and its real result later, so the last one counts.
    const hasImage = metadata?.includes('"image"') ?? false;
    results.set(tool_result_id, { ordinal, bytes: text_bytes, isError: Boolean(is_error), hasImage });
  }
}

interface Collected {
  readonly revision: string;
  readonly items: readonly OutlineItem[];
  readonly tools: Tools;
  readonly ordinals: ReadonlyMap<string, number>;
  readonly turnCosts: ReadonlyMap<string, number>;
  readonly parts: OutlineParts;
}

function finish({ revision, items, tools, ordinals, turnCosts, parts }: Collected): Outline {
  const agents = indexOfEach([
    ...parts.subagents.map(({ agent_id }) => agent_id),
    ...items.flatMap(({ message }) => message.agent_id ?? []),
  ]);
  const turns = readTurns({ items, ordinals, turnCosts, parts, agents });
  return {
    revision,
    agents: [...agents.keys()],
    items: toColumns(items, { tools, agents, turns, parts }),
    kinds: [...ITEM_KINDS],
    turns: turns.columns,
    branches: turns.branches,
    compactions: parts.compactions.flatMap(({ id, agent_id, trigger_name, ...rest }) => {
      const ordinal = ordinals.get(id);
      const agent = agents.get(agent_id ?? '') ?? -1;
      return ordinal === undefined ? [] : [{ id, ordinal, agent, trigger: trigger_name, ...rest }];
    }),
  };
}

export function indexOfEach(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(keys)].map((key, at) => [key, at]));
}

interface Lookup {
  readonly tools: Tools;
  readonly agents: ReadonlyMap<string, number>;
  readonly turns: ReturnType<typeof readTurns>;
  readonly parts: OutlineParts;
}

const KIND_NUMBERS = new Map<ItemKind, number>(ITEM_KINDS.map((kind, at) => [kind, at]));

function toColumns(items: readonly OutlineItem[], { tools, agents, turns, parts }: Lookup): Outline['items'] {
  const spawned = new Map(
    parts.subagents.map(({ spawning_tool_use_id, agent_id }) => [spawning_tool_use_id ?? '', agents.get(agent_id)]),
  );
  const statuses = new Map(parts.calls.map(({ id, status }) => [id, status]));
  const columns = emptyColumns();
  for (const item of items) {
    const { message, callId } = item;
    const turn = turns.indexOf(message.turn_id);
    const result = callId === null ? undefined : tools.results.get(callId);
    const isAbandoned = turns.columns.branch[turn] === 1;
    const flags = callId === null ? 0 : callFlags(result, statuses.get(callId));
    columns.ordinal.push(message.ordinal);
    columns.block.push(item.block);
    columns.kind.push(KIND_NUMBERS.get(item.kind) as number);
    columns.turn.push(turn);
    columns.agent.push(message.agent_id === null ? -1 : (agents.get(message.agent_id) ?? -1));
    columns.time.push(message.timestamp === null ? null : Date.parse(message.timestamp));
    columns.size.push(item.size + (result?.bytes ?? 0));
    columns.flags.push(item.flags | flags | (isAbandoned ? ITEM_FLAGS.abandoned : 0));
    columns.result.push(result?.ordinal ?? -1);
    columns.spawned.push(callId === null || callId === '' ? -1 : (spawned.get(callId) ?? -1));
    columns.cost.push(item.isFirst ? message.cost_nanos : null);
    columns.context.push(item.isFirst ? contextTokens(message) : null);
  }
  return columns;
}

type Columns = { -readonly [K in keyof Outline['items']]: Outline['items'][K][number][] };

function emptyColumns(): Columns {
  const numbers = { ordinal: [], block: [], kind: [], turn: [], agent: [], size: [], flags: [] };
  return { ...numbers, time: [], result: [], spawned: [], cost: [], context: [] };
}

/** As in the counts of turns and sessions: an interrupted call did not fail, although its result says so. */
const FAILED: ReadonlySet<string> = new Set(['error', 'denied']);

function callFlags(result: FoundResult | undefined, status: string | undefined): number {
  const state = status ?? (result === undefined ? 'pending' : 'ok');
  return (
    (FAILED.has(state) || (state === 'ok' && result?.isError === true) ? ITEM_FLAGS.error : 0) |
    (state === 'denied' ? ITEM_FLAGS.denied : 0) |
    (state === 'pending' || state === 'interrupted' ? ITEM_FLAGS.unfinished : 0) |
    (result?.hasImage === true ? ITEM_FLAGS.hasImage : 0)
  );
}

/** Null for messages that are not answers of the model. */
function contextTokens({ tokens_in, cache_read, cache_write }: MessageHead): number | null {
  return tokens_in === null ? null : tokens_in + (cache_read ?? 0) + (cache_write ?? 0);
}

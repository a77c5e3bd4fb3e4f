import type { Outline } from '../../src/api/outline.ts';
import { ITEM_KINDS, type ItemKind } from '../../src/domain/outline.ts';

export interface ItemSpec {
  readonly kind: ItemKind;
  readonly ordinal?: number;
  readonly block?: number;
  readonly turn?: number;
  readonly agent?: number;
  readonly time?: number | null;
  readonly size?: number;
  readonly flags?: number;
  readonly result?: number;
  /** Index of the agent that it started. */
  readonly spawned?: number;
  readonly context?: number;
}

export interface TurnSpec {
  readonly ordinal: number;
  readonly agent?: number;
  readonly answer?: number;
  readonly branch?: number;
  readonly parent?: number;
  readonly excerpt?: string;
  readonly origin?: string;
  readonly sender?: string;
  readonly time?: number | null;
}

interface OutlineSpec {
  readonly items: readonly ItemSpec[];
  readonly turns?: readonly TurnSpec[];
  readonly agents?: readonly (string | Partial<Agent>)[];
  readonly branches?: Outline['branches'];
  readonly compactions?: Outline['compactions'];
  readonly commits?: Outline['commits'];
  readonly revision?: string;
}

const START_MS = Date.UTC(2026, 0, 5, 12);

/** An outline from a few facts; an item without a position follows the one before it. */
export function makeOutline({ items, turns = [], agents = [], branches = [], ...rest }: OutlineSpec): Outline {
  const zeros = turns.map(() => 0);
  const nulls = turns.map(() => null);
  const of = <T>(read: (item: ItemSpec, at: number) => T) => items.map(read);
  return {
    revision: rest.revision ?? '1',
    since: null,
    agents: agents.map((agent, at) => makeAgent(typeof agent === 'string' ? { agent_id: agent } : agent, items, at)),
    kinds: [...ITEM_KINDS],
    items: {
      ordinal: of(({ ordinal }, at) => ordinal ?? at),
      block: of(({ block = -1 }) => block),
      kind: of(({ kind }) => ITEM_KINDS.indexOf(kind)),
      turn: of(({ turn = -1 }) => turn),
      agent: of(({ agent = -1 }) => agent),
      time: of(({ time }, at) => (time === undefined ? START_MS + at * 1_000 : time)),
      size: of(({ size = 100 }) => size),
      flags: of(({ flags = 0 }) => flags),
      result: of(({ result = -1 }) => result),
      cost: items.map(() => null),
      context: of(({ context = null }) => context),
    },
    turns: {
      id: turns.map(({ ordinal }) => `message-${ordinal}`),
      ordinal: turns.map(({ ordinal }) => ordinal),
      last_ordinal: turns.map(({ ordinal }, at) => (turns[at + 1]?.ordinal ?? ordinal + 1) - 1),
      answer_ordinal: turns.map(({ answer = -1 }) => answer),
      agent: turns.map(({ agent = -1 }) => agent),
      origin: turns.map(({ origin = 'human' }) => origin),
      sender: turns.map(({ sender = null }) => sender),
      excerpt: turns.map(({ ordinal, excerpt = `prompt ${ordinal}` }) => excerpt),
      cost: nulls,
      duration_ms: nulls,
      active_ms: nulls,
      tool_calls: zeros,
      tool_errors: zeros,
      lines_added: zeros,
      lines_removed: zeros,
      files_written: zeros,
      commits: zeros,
      branch: turns.map(({ branch = 0 }) => branch),
      parent: turns.map(({ parent }, at) => parent ?? at - 1),
      time: turns.map(({ ordinal, time }) => (time === undefined ? START_MS + ordinal * 1_000 : time)),
      model: turns.map(() => 'claude-opus-4-5'),
    },
    branches,
    compactions: rest.compactions ?? [],
    commits: rest.commits ?? [],
  };
}

type Agent = Outline['agents'][number];

function makeAgent(fields: Partial<Agent>, items: readonly ItemSpec[], agent: number): Agent {
  const call = items.findIndex(({ kind, spawned }) => spawned === agent && CALLS.has(kind));
  return {
    agent_id: `agent-${agent}`,
    agent_type: null,
    agent_name: null,
    team_name: null,
    description: null,
    model: null,
    status: null,
    cost_nanos: null,
    stats: { messages: 1, tool_calls: 0, wall_ms: null },
    last_line: null,
    session_id: null,
    call_ordinal: call < 0 ? -1 : (items[call]?.ordinal ?? call),
    call_block: items[call]?.block ?? -1,
    ...fields,
  };
}

const CALLS = new Set<ItemKind>(['read', 'write', 'run', 'web', 'agent', 'task', 'mcp', 'other_tool']);

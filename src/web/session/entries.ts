import type { MessageRow } from '../../api/transcript.ts';
import { entryAt } from '../../reading/entries.ts';
import type { Entry } from '../../reading/entry.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { NO_PARTS, type SessionParts } from '../../reading/parts.ts';
import type { ShownEntry } from '../items/item-view.tsx';
import type { Content } from './content.ts';

/** Entries of the items that are loaded. */
export interface Entries {
  /** Undefined while the message is not loaded, null if it has nothing to show. */
  entryOf(item: number): ShownEntry | null | undefined;
}

interface Known {
  readonly result: MessageRow | null;
  readonly agents: readonly Agent[];
  readonly entry: Entry | null;
}

/** Entries are built once per message: they are kept as long as the message is. */
type KnownEntries = WeakMap<MessageRow, Map<number, Known>>;

export function createEntries(index: OutlineIndex, content: Content, cwd: string | null, known: KnownEntries): Entries {
  const { columns } = index;
  return {
    entryOf: (item) => {
      const message = content.message(columns.ordinal[item] ?? -1);
      if (message === undefined) return undefined;
      const block = columns.block[item] ?? -1;
      const resultAt = columns.result[item] ?? -1;
      const result = resultAt < 0 ? null : content.message(resultAt);
      if (result === undefined) return undefined;
      const blocks = known.get(message) ?? new Map<number, Known>();
      known.set(message, blocks);
      const last = blocks.get(block);
      const agents = (index.startedBy.get(item) ?? []).map((agent) => index.agents[agent] as Agent);
      if (last !== undefined && last.result === result && isSame(last.agents, agents)) return shown(last.entry);
      const entry = entryAt(message, block, { result, cwd, parts: partsFor(index, message, block, agents) });
      blocks.set(block, { result, agents, entry });
      return shown(entry);
    },
  };
}

export function createKnownEntries(): KnownEntries {
  return new WeakMap();
}

function shown(entry: Entry | null): ShownEntry | null {
  return entry === null || entry.kind === 'empty' ? null : entry;
}

type Agent = OutlineIndex['agents'][number];

function isSame(a: readonly Agent[], b: readonly Agent[]): boolean {
  return a.length === b.length && a.every((agent, at) => agent === b[at]);
}

/** The agents that a call started and the sizes of a compaction are part of the outline. */
function partsFor(index: OutlineIndex, message: MessageRow, block: number, agents: readonly Agent[]): SessionParts {
  if (agents.length > 0) return { ...NO_PARTS, startedBy: startedBy(message, block, agents) };
  if (message.subtype?.endsWith('compact_boundary') !== true) return NO_PARTS;
  const found = index.compactions.find(({ ordinal }) => ordinal === message.ordinal);
  if (found === undefined) return NO_PARTS;
  const kind = message.subtype === 'microcompact_boundary' ? 'micro' : 'full';
  const { trigger, pre_tokens, post_tokens } = found;
  const compaction = { id: message.id, kind, trigger_name: trigger, pre_tokens, post_tokens };
  return { ...NO_PARTS, compactions: new Map([[message.id, compaction]]) };
}

function startedBy(message: MessageRow, block: number, agents: readonly Agent[]): SessionParts['startedBy'] {
  const call = message.content_blocks.find(({ block_order }) => block_order === block)?.tool_use_id ?? '';
  return new Map([[call, agents.map((agent) => ({ ...agent, spawning_tool_use_id: call }))]]);
}

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
      if (last !== undefined && last.result === result) return shown(last.entry);
      const entry = entryAt(message, block, { result, cwd, parts: partsFor(index, message) });
      blocks.set(block, { result, entry });
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

/** Sizes of a compaction are part of the outline. */
function partsFor({ compactions }: OutlineIndex, message: MessageRow): SessionParts {
  if (message.subtype?.endsWith('compact_boundary') !== true) return NO_PARTS;
  const found = compactions.find(({ ordinal }) => ordinal === message.ordinal);
  if (found === undefined) return NO_PARTS;
  const kind = message.subtype === 'microcompact_boundary' ? 'micro' : 'full';
  const { trigger, pre_tokens, post_tokens } = found;
  const compaction = { id: message.id, kind, trigger_name: trigger, pre_tokens, post_tokens };
  return { ...NO_PARTS, compactions: new Map([[message.id, compaction]]) };
}

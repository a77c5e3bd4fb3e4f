import type { Get } from '../api/table.ts';
import type { MessageRow } from '../api/transcript.ts';
import { LOW_BYTES_PER_TOKEN } from '../domain/context-parts.ts';
import { entryAt } from '../reading/entries.ts';
import type { Entry } from '../reading/entry.ts';
import { NO_PARTS } from '../reading/parts.ts';
import type { Columns } from '../reading/rows/columns.ts';
import { toMarkdown } from '../reading/to-markdown.ts';

/** Messages read at once. Most items of a slice are next to each other. */
const PAGE_MESSAGES = 20;

/** The items of a session as entries; messages are read when they are needed and kept for the slice. */
export interface ItemReader {
  /** Null if there is nothing to show. */
  entryOf(item: number): Promise<Entry | null>;
}

export function createItemReader(
  get: Get,
  { id, cwd, columns, agents }: { readonly id: string; readonly cwd: string | null } & ItemSource,
): ItemReader {
  const known = new Map<number, MessageRow>();
  const read = async (ordinal: number, agent: number): Promise<MessageRow | null> => {
    if (ordinal < 0) return null;
    if (!known.has(ordinal)) {
      const query = { after: ordinal - 1, limit: PAGE_MESSAGES, agent_id: [agents[agent] ?? 'main'] };
      const { messages } = await get('/sessions/:id/transcript', { params: { id }, query });
      for (const message of messages) known.set(message.ordinal, message);
    }
    return known.get(ordinal) ?? null;
  };
  return {
    entryOf: async (item) => {
      const agent = columns.agent[item] ?? -1;
      const message = await read(columns.ordinal[item] ?? -1, agent);
      if (message === null) return null;
      const result = await read(columns.result[item] ?? -1, agent);
      return entryAt(message, columns.block[item] ?? -1, { parts: NO_PARTS, cwd, result });
    },
  };
}

interface ItemSource {
  readonly columns: Columns;
  /** Ids of the sub-agents. */
  readonly agents: readonly string[];
}

/** A position in the text of a conversation: an item, and a character of its text. */
export interface Place {
  readonly item: number;
  readonly char: number;
}

interface Slice {
  readonly text: string;
  /** Where the rest begins; null at the end. */
  readonly next: Place | null;
}

/** The text of an item, with the position of its message so that it can be cited and found again. */
export async function itemText(reader: ItemReader, { ordinal }: Columns, item: number): Promise<string> {
  const entry = await reader.entryOf(item);
  const text = entry === null ? '' : toMarkdown([entry]);
  return text === '' ? '' : `[#${ordinal[item]}] ${text}\n`;
}

/** The part of a page that must be free to start an item that does not fit on any page. */
const MIN_TORN_SHARE = 0.25;

/** The texts of some items, in order, from a position on, until the budget is used up. Nothing in between is left out. */
export async function readSlice(
  items: readonly number[],
  textOf: (item: number) => Promise<string>,
  { from, tokens }: { readonly from: Place; readonly tokens: number },
): Promise<Slice> {
  let text = '';
  let left = tokens;
  for (const item of items) {
    if (item < from.item) continue;
    const whole = await textOf(item);
    const start = item === from.item ? Math.min(from.char, whole.length) : 0;
    const end = fittingEnd(whole, start, left);
    const isTorn = end < whole.length;
    // An item that fits on the next page is not split, and none is split for a few words.
    const belongsOnNextPage = estimateTokens(whole) <= tokens || left < tokens * MIN_TORN_SHARE;
    if (isTorn && text !== '' && belongsOnNextPage) return { text, next: { item, char: start } };
    text += whole.slice(start, end);
    left -= estimateTokens(whole.slice(start, end));
    if (isTorn) return { text, next: { item, char: end } };
  }
  return { text, next: null };
}

/** The items from some before the center on; those before it get half of the budget that it leaves. */
export async function itemsAround(
  items: readonly number[],
  center: number,
  { textOf, tokens }: { readonly textOf: (item: number) => Promise<string>; readonly tokens: number },
): Promise<readonly number[]> {
  const at = items.indexOf(center);
  let left = Math.floor((tokens - estimateTokens(await textOf(center))) / 2);
  let first = at;
  while (first > 0) {
    left -= estimateTokens(await textOf(items[first - 1] as number));
    if (left < 0) break;
    first -= 1;
  }
  return items.slice(first);
}

const encoder = new TextEncoder();

export function estimateTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / LOW_BYTES_PER_TOKEN);
}

/** How far back a cut may move to reach the end of a line. */
const MAX_LINE_CHARS = 200;

/**
 * The length of the longest beginning of a text, from a position on, that fits into a budget. It ends at the end of a
 * line if one is near, and never within a character. At least one character, so that a reader always makes progress.
 */
export function fittingEnd(text: string, from: number, tokens: number): number {
  const bytes = Math.max(0, tokens) * LOW_BYTES_PER_TOKEN;
  const { read } = encoder.encodeInto(text.slice(from, from + bytes), new Uint8Array(bytes));
  const end = Math.max(from + read, from + charAt(text, from));
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return line > from && end - line <= MAX_LINE_CHARS ? line : end;
}

function charAt(text: string, at: number): number {
  return String.fromCodePoint(text.codePointAt(at) ?? 0).length;
}

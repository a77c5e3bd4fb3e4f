import type { BlockRow, MessageRow } from '../api/transcript.ts';
import { commandText } from '../domain/client-tags.ts';
import { withoutTeammateTags } from '../domain/teammate-message.ts';
import { type ContextItem, type Entry, type EntryBase, isInternal, speakerOf } from './entry.ts';
import { messageKind } from './kinds.ts';
import { mediaOf } from './media.ts';
import {
  attachmentSize,
  briefOf,
  compactionText,
  contextText,
  injectedLabel,
  injectedText,
  isAttachment,
  isBlankContext,
  isFailure,
  labelOf,
  noticeText,
  textOf,
} from './message-text.ts';
import type { SessionParts } from './parts.ts';
import { type FoundResult, toolCall, toolResult } from './tool-call.ts';

export interface ReadingOptions {
  readonly parts: SessionParts;
  /** Working directory of the session: paths inside it are shown relative to it. */
  readonly cwd: string | null;
}

/** The entries of one conversation. */
export function entriesOf(messages: readonly MessageRow[], options: ReadingOptions): readonly Entry[] {
  const { results, calls } = indexTools(messages);
  const entries: Entry[] = [];
  const builder = createBuilder(options, {
    resultOf: (callId) => results.get(callId) ?? null,
    isShown: (callId) => calls.has(callId),
  });
  for (const message of messages) entries.push(...builder.add(message));
  return [...entries, ...builder.flush()];
}

interface EntryAtOptions extends ReadingOptions {
  /** The message with the result of the call. */
  readonly result: MessageRow | null;
}

/** The entry of one block of a message, or of the whole message for -1. Null if there is nothing to show. */
export function entryAt(message: MessageRow, blockOrder: number, options: EntryAtOptions): Entry | null {
  const held = options.result === null ? [message] : [message, options.result];
  const results: Results = { resultOf: (callId) => findResult(held, callId), isShown: () => false };
  if (blockOrder < 0) return readMessage(message, options, results)[0] ?? null;
  const block = message.content_blocks.find(({ block_order }) => block_order === blockOrder);
  return block === undefined ? null : (readBlock(message, block, options, results)[0] ?? null);
}

/** The same, but nothing is merged: one entry for each item of the outline, and for what it leaves out. */
export function separateEntries(messages: readonly MessageRow[], options: ReadingOptions): readonly Entry[] {
  const { results, calls } = indexTools(messages);
  const index: Results = { resultOf: (callId) => results.get(callId) ?? null, isShown: (callId) => calls.has(callId) };
  return messages.flatMap((message) => readMessage(message, options, index));
}

function indexTools(messages: readonly MessageRow[]) {
  const results = new Map<string, FoundResult>();
  const calls = new Set<string>();
  for (const message of messages) {
    for (const block of message.content_blocks) {
      if (block.tool_use_id !== null) calls.add(block.tool_use_id);
      // An interrupted call can get a placeholder first and its real result later, so the last one counts.
      if (block.tool_result_id !== null) results.set(block.tool_result_id, { block, message });
    }
  }
  return { results, calls };
}

/** A result is in the next message, or a few messages later for parallel calls. */
const MESSAGES_AHEAD = 60;

/** The same for a stream, buffering only a few messages. A result that arrives much later is a separate entry. */
export async function* streamEntries(
  messages: AsyncIterable<MessageRow>,
  options: ReadingOptions,
): AsyncGenerator<Entry> {
  const held: MessageRow[] = [];
  const shown = new Set<string>();
  const builder = createBuilder(options, {
    resultOf: (callId) => {
      const found = findResult(held, callId);
      if (found !== null) shown.add(callId);
      return found;
    },
    isShown: (callId) => shown.has(callId),
  });
  for await (const message of messages) {
    held.push(message);
    if (held.length > MESSAGES_AHEAD) yield* builder.add(held.shift() as MessageRow);
  }
  for (let message = held.shift(); message !== undefined; message = held.shift()) yield* builder.add(message);
  yield* builder.flush();
}

function findResult(messages: readonly MessageRow[], callId: string): FoundResult | null {
  if (callId === '') return null;
  for (const message of messages.toReversed()) {
    const block = message.content_blocks.findLast(({ tool_result_id }) => tool_result_id === callId);
    if (block !== undefined) return { block, message };
  }
  return null;
}

interface Results {
  resultOf(callId: string): FoundResult | null;
  /** Whether a result is shown with its call. */
  isShown(callId: string): boolean;
}

interface Builder {
  /** Entries that are complete now. */
  add(message: MessageRow): readonly Entry[];
  flush(): readonly Entry[];
}

/** Maximum number of messages in one run of context. */
const MAX_CONTEXT_RUN = 50;

function createBuilder(options: ReadingOptions, results: Results): Builder {
  /** An entry that the next message may still join. */
  let open: Entry | null = null;
  let speaker: string | null = null;
  const flush = () => {
    const entries = open === null ? [] : [open];
    open = null;
    return entries;
  };
  return {
    flush,
    add: (message) => {
      const entries: Entry[] = [];
      for (const entry of readMessage(message, options, results)) {
        const joined = open === null ? null : joinEntries(open, entry);
        if (joined === null) entries.push(...flush());
        const marked = entry.kind === 'answer' ? { ...entry, isNewSpeaker: speaker !== (message.model ?? '') } : entry;
        open = joined ?? marked;
        if (entry.kind === 'prompt' || entry.kind === 'compaction') speaker = null;
        else if (entry.kind === 'answer') speaker = message.model ?? '';
      }
      return entries;
    },
  };
}

/** Merges consecutive context, thinking and failed attempts. */
function joinEntries(open: Entry, next: Entry): Entry | null {
  const ordinals = [...open.ordinals, ...next.ordinals];
  if (open.kind === 'context' && next.kind === 'context' && open.items.length < MAX_CONTEXT_RUN)
    return { ...open, ordinals, items: [...open.items, ...next.items] };
  if (open.kind === 'thinking' && next.kind === 'thinking' && open.message === next.message)
    return { ...open, text: `${open.text}\n\n${next.text}`.trim(), isCut: open.isCut || next.isCut };
  // The API is called again while it fails; only the last attempt is shown.
  const isRetry = open.message.subtype === 'api_error' && next.message.subtype === 'api_error';
  return isRetry && open.kind === 'notice' ? { ...next, key: open.key, ordinals } : null;
}

function readMessage(message: MessageRow, options: ReadingOptions, results: Results): readonly Entry[] {
  const base: EntryBase = { key: message.id, message, ordinals: [message.ordinal] };
  const branch = options.parts.branches.get(message.id) ?? null;
  const kind = messageKind(message, () => textOf(message));
  switch (kind) {
    case 'prompt':
      return [{ kind, ...base, ...promptOf(message), branch }];
    case 'command':
      return [{ kind, ...base, text: commandText(textOf(message)), branch }];
    case 'notice': {
      const isInterruption = message.origin === 'interruption';
      return [{ kind, ...base, text: noticeText(message), isError: isFailure(message), isInterruption }];
    }
    case 'compaction':
      return [{ kind, ...base, text: compactionText(message, options.parts.compactions.get(message.id)) }];
    case 'summary':
      return [{ kind, ...base, label: 'Summary of the conversation so far', text: textOf(message) }];
    case 'context':
      return isBlankContext(textOf(message)) ? [] : [{ kind, ...base, items: [contextItem(message)] }];
    case 'blocks':
      return readBlocks(message, options, results);
    default:
      return kind satisfies never;
  }
}

function promptOf(message: MessageRow) {
  const injected = message.content_blocks.filter(({ block_type }) => block_type === 'injected');
  const media = message.content_blocks.filter(
    ({ block_type, content_text }) => block_type !== 'injected' && content_text === null,
  );
  const text = textOf(message);
  return {
    speaker: speakerOf(message, text),
    text: message.origin === 'teammate' ? withoutTeammateTags(text) : text,
    media: media.map((block) => mediaOf(message, block)),
    injected: injected.map((block) => ({ label: injectedLabel(block), text: injectedText(block) })),
  };
}

function contextItem(message: MessageRow): ContextItem {
  return {
    message,
    label: labelOf(message) + attachmentSize(message),
    text: contextText(message),
    brief: briefOf(message),
    isAttachment: isAttachment(message),
    isInternal: isInternal(message),
  };
}

function readBlocks(message: MessageRow, options: ReadingOptions, results: Results): readonly Entry[] {
  const entries = message.content_blocks.flatMap((block) => readBlock(message, block, options, results));
  if (entries.length > 0 || message.role !== 'assistant') return entries;
  return [{ kind: 'empty', key: message.id, message, ordinals: [message.ordinal] }];
}

function readBlock(message: MessageRow, block: BlockRow, options: ReadingOptions, results: Results): readonly Entry[] {
  const base: EntryBase = { key: `${message.id}:${block.block_order}`, message, ordinals: [message.ordinal] };
  const isCut = block.metadata['truncated'] === true;
  switch (block.block_type) {
    case 'text': {
      const text = block.content_text ?? '';
      return text.trim() === '' ? [] : [{ kind: 'answer', ...base, text, isCut, isNewSpeaker: false }];
    }
    case 'thinking':
    case 'redacted_thinking': {
      const text = (block.thinking_text ?? '').trim();
      return text === '' ? [] : [{ kind: 'thinking', ...base, text, isCut }];
    }
    case 'tool_use':
    case 'server_tool_use':
      return [readCall(base, block, options, results)];
    case 'tool_result':
    case 'server_tool_result': {
      if (results.isShown(block.tool_result_id ?? '')) return [];
      return [{ kind: 'result', ...base, result: toolResult({ block, message }) }];
    }
    default:
      return [{ kind: 'media', ...base, media: mediaOf(message, block) }];
  }
}

function readCall(base: EntryBase, use: BlockRow, { parts, cwd }: ReadingOptions, results: Results): Entry {
  const id = use.tool_use_id ?? '';
  const found = results.resultOf(id);
  const subagents = id === '' ? [] : (parts.startedBy.get(id) ?? []);
  const call = toolCall({ use, result: found, facts: parts.calls.get(id), subagents, cwd });
  const ordinals = found === null ? base.ordinals : [...base.ordinals, found.message.ordinal];
  return { kind: 'tool', ...base, ordinals, call };
}

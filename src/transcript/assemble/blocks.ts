import { MAX_JSON_DEPTH } from '../../domain/json.ts';
import { splitText, type TextPart } from '../../domain/text-origin.ts';
import type { BlockType, ContentBlock, JsonObject, JsonValue } from '../../domain/transcript.ts';
import type { LineContext } from '../line/context.ts';
import { asFlag, asList, asObject, asText, isDeeperThan } from '../read/json.ts';
import { type MessageDraft, noteAnomaly } from '../state.ts';
import { shownParts } from '../tool/results.ts';
import { noteToolResult, noteToolUse } from './tool-calls.ts';
import { isRequest, isStatedTyped } from './user-text.ts';

type BlockPart = Partial<Omit<ContentBlock, 'messageId' | 'blockOrder' | 'line' | 'blockType'>>;

/** Emits every block of `message.content`; a plain string becomes one text block. */
export function emitContent(context: LineContext, draft: MessageDraft, content: JsonValue | undefined): void {
  if (typeof content === 'string') {
    emitText(context, draft, content);
    return;
  }
  const blocks = asList(content);
  if (blocks === null) {
    if (content !== undefined) noteAnomaly(context.state, 'shape_error');
    return;
  }
  for (const value of blocks) emitOne(context, draft, value);
}

/** Emits a text. In a prompt, text that the client injected becomes separate blocks beside the person's words. */
export function emitText(context: LineContext, draft: MessageDraft, text: string | null): void {
  draft.hasText = true;
  if (text === null || !isRequest(draft.origin)) emitBlock(context, draft, 'text', { contentText: text });
  else emitParts(context, draft, splitText(text, isStatedTyped(context.record)));
}

export function emitParts(context: BlockPlace, draft: MessageDraft, parts: readonly TextPart[]): void {
  for (const { origin, tag, text } of parts) {
    if (origin === 'said') emitBlock(context, draft, 'text', { contentText: text });
    else
      emitBlock(context, draft, 'injected', { contentText: text, metadata: { origin, ...(tag !== null && { tag }) } });
  }
}

/** The text of an attachment, with its size in bytes. */
export function emitAttachment(context: LineContext, draft: MessageDraft, text: string): void {
  if (text === '') return;
  draft.hasText = true;
  emitBlock(context, draft, 'attachment', { contentText: text, metadata: { bytes: Buffer.byteLength(text) } });
}

/** The sink for blocks and the position of their line. */
type BlockPlace = Pick<LineContext, 'sink' | 'position'>;

function emitOne(context: LineContext, draft: MessageDraft, value: JsonValue): void {
  const block = asObject(value);
  if (block === null) {
    if (typeof value === 'string') emitText(context, draft, value);
    else {
      noteAnomaly(context.state, 'shape_error');
      emitBlock(context, draft, 'unknown', {});
    }
    return;
  }
  const type = asText(block['type']) ?? '';
  const read = BLOCK_READERS.get(type);
  if (read !== undefined) read(context, draft, block);
  else if (type.endsWith('_tool_result')) readServerResult(context, draft, block);
  else emitBlock(context, draft, 'unknown', { metadata: { type } });
}

type BlockReader = (context: LineContext, draft: MessageDraft, block: JsonObject) => void;

const BLOCK_READERS: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ['text', readText],
  ['thinking', readThinking],
  ['redacted_thinking', readRedacted],
  ['tool_use', readToolUse],
  ['tool_result', readToolResult],
  ['image', readMedia],
  ['document', readMedia],
  ['server_tool_use', readServerUse],
  ['tool_reference', readReference],
  ['fallback', readFallback],
]);

function readText(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  const text = asText(block['text']);
  draft.chars += text?.length ?? 0;
  emitText(context, draft, text);
}

function readThinking(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  draft.hasThinking = true;
  draft.thinkingBlocks += 1;
  const isSigned = typeof block['signature'] === 'string' && block['signature'] !== '';
  const metadata: JsonObject = isSigned ? { signed: true } : NO_METADATA;
  emitBlock(context, draft, 'thinking', { thinkingText: asText(block['thinking']), metadata });
}

function readRedacted(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  draft.hasThinking = true;
  draft.thinkingBlocks += 1;
  emitBlock(context, draft, 'redacted_thinking', { metadata: { bytes: asText(block['data'])?.length ?? 0 } });
}

function readToolUse(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  draft.hasToolUse = true;
  for (const value of Object.values(asObject(block['input']) ?? {})) draft.chars += asText(value)?.length ?? 0;
  noteToolUse(context, draft, block);
  emitBlock(context, draft, 'tool_use', toolUsePart(context, block));
}

function readServerUse(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  draft.hasToolUse = true;
  emitBlock(context, draft, 'server_tool_use', toolUsePart(context, block));
}

function toolUsePart(context: LineContext, block: JsonObject): BlockPart {
  const input = block['input'] ?? null;
  const isTooDeep = isDeeperThan(input, MAX_JSON_DEPTH);
  if (isTooDeep) noteAnomaly(context.state, 'too_deep');
  const caller = asText(asObject(block['caller'])?.['type']);
  return {
    toolName: asText(block['name']),
    toolUseId: asText(block['id']),
    toolInput: isTooDeep ? null : input,
    metadata: { ...(isTooDeep && { tooDeep: true }), ...(caller !== null && caller !== 'direct' && { caller }) },
  };
}

function readToolResult(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  draft.hasToolResult = true;
  const resultText = resultTextOf(block['content']);
  const isError = asFlag(block['is_error']);
  const name = noteToolResult(context, block, resultText);
  emitBlock(context, draft, 'tool_result', {
    toolName: name,
    toolResultId: asText(block['tool_use_id']),
    isError,
    resultText,
    metadata: { ...partsOf(block['content']), ...shownParts(context.record['toolUseResult']) },
  });
}

function readServerResult(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  draft.hasToolResult = true;
  emitBlock(context, draft, 'server_tool_result', {
    toolResultId: asText(block['tool_use_id']),
    resultText: serverResultText(block['content']),
    metadata: { type: asText(block['type']) },
  });
}

function readMedia(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  const source = asObject(block['source']);
  const metadata = { mediaType: asText(source?.['media_type']), bytes: asText(source?.['data'])?.length ?? 0 };
  emitBlock(context, draft, block['type'] === 'image' ? 'image' : 'document', { metadata });
}

function readReference(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  emitBlock(context, draft, 'tool_reference', { toolName: asText(block['tool_name']) });
}

function readFallback(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  const { type: _, ...rest } = block;
  emitBlock(context, draft, 'fallback', { metadata: isDeeperThan(rest, MAX_JSON_DEPTH) ? {} : rest });
}

/** Text of a tool result: a string unchanged; for a list, its texts, embedded resources and resource links. */
function resultTextOf(content: JsonValue | undefined): string | null {
  if (typeof content === 'string') return content;
  const parts = asList(content);
  if (parts === null) return null;
  const texts = parts.flatMap((part) => textOfPart(part) ?? []);
  return texts.length === 0 ? null : texts.join('\n');
}

function textOfPart(value: JsonValue): string | null {
  if (typeof value === 'string') return value;
  const part = asObject(value);
  return asText(part?.['text']) ?? asText(asObject(part?.['resource'])?.['text']) ?? asText(part?.['uri']);
}

/** Types of the parts that are not text: images, audio, resources, tool references. */
function partsOf(content: JsonValue | undefined): JsonObject {
  const list = asList(content);
  if (list === null) return NO_METADATA;
  const kinds = list.flatMap((part) => asText(asObject(part)?.['type']) ?? []);
  const others = kinds.filter((kind) => kind !== 'text');
  return others.length === 0 ? NO_METADATA : { parts: others.slice(0, MAX_LISTED_PARTS) };
}

const MAX_LISTED_PARTS = 100;

/** Search hits as one line each (title, URL, text); any other content as for an ordinary tool result. */
function serverResultText(content: JsonValue | undefined): string | null {
  const hits = asList(content);
  if (hits === null) return resultTextOf(content);
  const lines = hits.map((hit) => {
    const row = asObject(hit);
    return [row?.['title'], row?.['url'], row?.['text']].filter((part) => typeof part === 'string').join(' ');
  });
  return lines.join('\n');
}

function emitBlock(context: BlockPlace, draft: MessageDraft, blockType: BlockType, part: BlockPart): void {
  context.sink.block({
    messageId: draft.id,
    blockOrder: draft.blockCount,
    blockType,
    contentText: part.contentText ?? null,
    thinkingText: part.thinkingText ?? null,
    toolName: part.toolName ?? null,
    toolUseId: part.toolUseId ?? null,
    toolInput: part.toolInput ?? null,
    toolResultId: part.toolResultId ?? null,
    isError: part.isError ?? null,
    resultText: part.resultText ?? null,
    line: context.position,
    metadata: part.metadata ?? NO_METADATA,
  });
  draft.blockCount += 1;
}

const NO_METADATA: JsonObject = {};

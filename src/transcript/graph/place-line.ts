import type { JsonValue } from '../../domain/transcript.ts';
import { promptKeyOf } from '../assemble/user-text.ts';
import type { LineContext } from '../line/context.ts';
import { asList, asObject, asText } from '../read/json.ts';
import { type MessageDraft, noteAnomaly, type SessionState } from '../state.ts';
import { buildForest, type Forest, nearestAbove } from './branches.ts';
import { findRow, isUuidRow, NODE_KINDS, type NodeKind, rowOf, type UuidTable } from './uuid-table.ts';

/**
 * Some clients wrote a whole conversation into the same file again, under new uuids and sometimes with one line per
 * block. Such a line is recognized by its time and its blocks; it is placed in the graph and otherwise ignored.
 */
interface LineKeys {
  /** One number per block; a repeat of the block has the same number. */
  readonly blocks: readonly number[];
  /** True if all blocks have API ids. Text without an id may occur twice, so its position must be a repeat as well. */
  readonly areUnique: boolean;
}

/** Clients write one line per block, or a few blocks per line. */
const MAX_KEYS = 100;
const NO_KEYS: LineKeys = { blocks: [], areUnique: false };

/** Keys of a line with message content. `messageId` is the API's id, if there is one. */
export function keysOfContent(
  context: LineContext,
  content: JsonValue | undefined,
  messageId: string | null = null,
): LineKeys {
  const { thread, timestamp, record } = context;
  if (timestamp === null) return NO_KEYS;
  const head = `${thread} ${timestamp} ${asText(record['type']) ?? ''} ${messageId ?? ''} `;
  if (typeof content === 'string') return { blocks: [hashOf(`${head}text${promptKeyOf(content)}`)], areUnique: false };
  const blocks: number[] = [];
  const values = asList(content) ?? [];
  if (values.length > MAX_KEYS) return NO_KEYS;
  let areUnique = true;
  for (const value of values) {
    const block = asObject(value);
    const name = nameOf(block);
    if (name === null) return NO_KEYS;
    areUnique &&= messageId !== null || block?.['type'] === 'tool_result';
    blocks.push(hashOf(head + name));
  }
  return { blocks, areUnique };
}

/** Null for a block that is indistinguishable from others of its type. */
function nameOf(block: ReturnType<typeof asObject>): string | null {
  const type = asText(block?.['type']);
  switch (type) {
    case 'text':
      return `text${promptKeyOf(asText(block?.['text']) ?? '')}`;
    case 'thinking':
      return `thinking${promptKeyOf(asText(block?.['thinking']) ?? '')}${promptKeyOf(asText(block?.['signature']) ?? '')}`;
    case 'tool_use':
      return `use${asText(block?.['id']) ?? ''}`;
    case 'tool_result':
      return `result${asText(block?.['tool_use_id']) ?? ''}${promptKeyOf(asText(block?.['content']) ?? '')}`;
    case 'image':
    case 'document':
      return `${type}${promptKeyOf(asText(asObject(block?.['source'])?.['data']) ?? '')}`;
    default:
      return null;
  }
}

/** Row of the line that this one repeats, or -1. */
function repeatedRow({ state, uuid, parentUuid }: LineContext, { blocks, areUnique }: LineKeys): number {
  let original = -1;
  for (const key of blocks) {
    original = state.blockRows.get(key) ?? -1;
    if (original < 0) return -1;
  }
  if (original < 0 || areUnique) return original;
  const { uuids } = state;
  if (uuid !== null && findRow(uuids, uuid) === original) return original;
  if (parentUuid === null || parentUuid === '') return (uuids.parent[original] as number) < 0 ? original : -1;
  const parent = findRow(uuids, parentUuid);
  return parent >= 0 && uuids.kind[parent] === NODE_KINDS.repeat ? original : -1;
}

/** 53 bits, so that collisions within a session are negligible. */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (low >>> 0) * 0x200000 + ((high >>> 0) & 0x1fffff);
}

/** Ids become keys and parts of URLs, so any other id is replaced by one derived from the position. */
const SAFE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export interface Placement {
  /** Row in the uuid table, -1 for a line without a uuid. */
  readonly row: number;
  /** The uuid, if it is usable as an id and occurs for the first time. */
  readonly uuid: string | null;
  /** True if this exact line was seen before; it must not be counted again. */
  readonly isCopy: boolean;
}

const UNPLACED: Placement = { row: -1, uuid: null, isCopy: false };
const COPY: Placement = { row: -1, uuid: null, isCopy: true };

/**
 * Adds a line to the uuid graph. A uuid on two different lines belongs to the first; a line that repeats another one
 * under a new uuid becomes a child of the original.
 */
export function placeLine(context: LineContext, kind: NodeKind, keys: LineKeys = NO_KEYS): Placement {
  const { state, uuid, parentUuid } = context;
  if (uuid === null || uuid === '') return UNPLACED;
  const table = state.uuids;
  const row = rowOf(table, uuid);
  const original = repeatedRow(context, keys);
  if (original >= 0 && original !== row && (table.line[row] as number) < 0) return placeRepeat(context, row, original);
  const fingerprint = fingerprintOf(context);
  if ((table.line[row] as number) >= 0) {
    noteAnomaly(state, 'duplicate_uuid');
    return original >= 0 || table.fingerprint[row] === fingerprint ? COPY : UNPLACED;
  }
  const logicalParent = kind === NODE_KINDS.boundary ? logicalParentOf(context) : null;
  // Interning may reallocate the columns, so look up all rows before touching the table's arrays.
  const parentRow = parentUuid === null || parentUuid === '' ? -1 : parentRowOf(context, parentUuid);
  const logicalRow = logicalParent === null || logicalParent === '' ? -1 : rowOf(table, logicalParent);
  table.parent[row] = parentRow;
  table.logicalParent[row] = logicalRow;
  table.kind[row] = kind;
  table.line[row] = state.recordCount;
  table.thread[row] = context.thread;
  table.fingerprint[row] = fingerprint;
  state.lastPlaced.uuid = uuid;
  state.lastPlaced.row = row;
  for (const key of keys.blocks) state.blockRows.set(key, row);
  return { row, uuid: isUuidRow(table, row) || SAFE_ID.test(uuid) ? uuid : null, isCopy: false };
}

function placeRepeat({ state, thread }: LineContext, row: number, original: number): Placement {
  const table = state.uuids;
  noteAnomaly(state, 'repeated_line');
  table.parent[row] = original;
  table.kind[row] = NODE_KINDS.repeat;
  table.line[row] = state.recordCount;
  table.thread[row] = thread;
  table.message[row] = table.message[original] as number;
  return COPY;
}

/**
 * The last line before a compaction. A resumed client names a line that it never wrote; in that case the end of the
 * preserved segment gives the same position.
 */
function logicalParentOf({ state, record }: LineContext): string | null {
  const named = asText(record['logicalParentUuid']);
  if (named !== null && hasLine(state.uuids, named)) return named;
  const tail = asText(asObject(asObject(record['compactMetadata'])?.['preservedSegment'])?.['tailUuid']);
  return tail !== null && hasLine(state.uuids, tail) ? tail : named;
}

function hasLine(table: UuidTable, uuid: string): boolean {
  const row = findRow(table, uuid);
  return row >= 0 && (table.line[row] as number) >= 0;
}

/** The parent is nearly always the previous line. */
function parentRowOf({ state }: LineContext, parent: string): number {
  return parent === state.lastPlaced.uuid ? state.lastPlaced.row : rowOf(state.uuids, parent);
}

/** An id for records without a usable uuid: the file and the record's offset in it. */
export function positionId(context: LineContext): string {
  const key = SAFE_ID.test(context.file.key) ? context.file.key : `file${context.file.index}`;
  return `${key}:${context.position.offset}`;
}

/** Timestamps differ in their last characters. */
const VARYING_CHARS = 9;

/** A copy of a line has the same uuid, time and size. */
function fingerprintOf({ timestamp, position }: LineContext): number {
  let hash = Math.imul(position.length ^ 0x811c9dc5, 0x01000193);
  if (timestamp === null) return hash >>> 0;
  for (let at = Math.max(0, timestamp.length - VARYING_CHARS); at < timestamp.length; at += 1) {
    hash = Math.imul(hash ^ timestamp.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** The graph by message. All arrays are indexed by message; -1 means none. */
export interface MessageGraph {
  readonly forest: Forest;
  /** Row of the message's first line. */
  readonly row: Int32Array;
  readonly parent: Int32Array;
  /** Index of the prompt whose turn the message belongs to. */
  readonly turn: Int32Array;
}

export function buildMessageGraph(state: SessionState): MessageGraph {
  const forest = buildForest(state.uuids);
  const row = firstRows(state, forest);
  const parent = parentMessages(state, forest, row);
  return { forest, row, parent, turn: turns(state, forest, row) };
}

function firstRows({ messages, uuids }: SessionState, { byLine }: Forest): Int32Array {
  const rows = new Int32Array(messages.length).fill(-1);
  for (const row of byLine) {
    const message = uuids.message[row] as number;
    if (message >= 0 && rows[message] === -1) rows[message] = row;
  }
  return rows;
}

/** The message above the first line, skipping progress lines and compactions. */
function parentMessages({ messages, uuids }: SessionState, forest: Forest, rows: Int32Array): Int32Array {
  const nearest = nearestAbove(forest, (row) => (uuids.message[row] as number) >= 0);
  return rows.map((row, index) => {
    const above = row < 0 ? -1 : (forest.up[row] as number);
    const found = above < 0 ? -1 : (nearest[above] as number);
    const parent = found < 0 ? -1 : (uuids.message[found] as number);
    // Lines of one message may be out of order, so a message can be its own parent. Withdrawn messages are no parents.
    return parent === index || messages[parent]?.isWithdrawn === true ? -1 : parent;
  });
}

/**
 * A turn is a prompt with everything below it up to the next prompts: each line belongs to the nearest prompt above it.
 * Lines with a broken chain belong to the last prompt before them in the same thread.
 */
function turns(state: SessionState, forest: Forest, rows: Int32Array): Int32Array {
  const { uuids, messages } = state;
  const nearest = nearestAbove(
    forest,
    (row) => uuids.kind[row] === NODE_KINDS.prompt && (uuids.message[row] as number) >= 0,
  );
  const lastPrompt = new Int32Array(state.threads.length).fill(-1);
  return rows.map((row, index) => {
    const draft = messages[index] as MessageDraft;
    const prompt = row < 0 ? -1 : (nearest[row] as number);
    const own = prompt >= 0 && uuids.thread[prompt] === draft.thread ? (uuids.message[prompt] as number) : -1;
    if (own === index) lastPrompt[draft.thread] = index;
    if (own >= 0) return own;
    return draft.messageType === 'summary' ? -1 : (lastPrompt[draft.thread] as number);
  });
}

import { asText } from '../read/json.ts';
import type { LineContext } from '../line/context.ts';
import { noteAnomaly } from '../note.ts';
import { isUuidRow, NODE_KINDS, type NodeKind, rowOf } from './uuid-table.ts';

/** Ids become keys and parts of URLs: anything else is replaced by an id made from the position. */
const SAFE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export interface Placement {
  /** Row in the uuid table, -1 for a line without a uuid of its own. */
  readonly row: number;
  /** The uuid where it is fit to be an id and the first of its kind. */
  readonly uuid: string | null;
  /** True when this very line was seen before: nothing of it may count again. */
  readonly isCopy: boolean;
}

const UNPLACED: Placement = { row: -1, uuid: null, isCopy: false };
const COPY: Placement = { row: -1, uuid: null, isCopy: true };

/** Puts a line into the uuid graph. A uuid that stands on two different lines belongs to the first. */
export function placeLine(context: LineContext, kind: NodeKind): Placement {
  const { state, uuid, parentUuid } = context;
  if (uuid === null || uuid === '') return UNPLACED;
  const table = state.uuids;
  const row = rowOf(table, uuid);
  const fingerprint = 1;
  if ((table.line[row] as number) >= 0) {
    noteAnomaly(state, 'duplicate_uuid');
    return table.fingerprint[row] === fingerprint ? COPY : UNPLACED;
  }
  const logicalParent = kind === NODE_KINDS.boundary ? asText(context.record['logicalParentUuid']) : null;
  // Interning may move the columns, so rows first, then the table's arrays.
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
  return { row, uuid: isUuidRow(table, row) || SAFE_ID.test(uuid) ? uuid : null, isCopy: false };
}

/** Nearly always the line before. */
function parentRowOf({ state }: LineContext, parent: string): number {
  return parent === state.lastPlaced.uuid ? state.lastPlaced.row : rowOf(state.uuids, parent);
}

/** An id for what has no usable uuid: the file and the offset of the record in it. */
export function positionId(context: LineContext): string {
  const key = SAFE_ID.test(context.file.key) ? context.file.key : `file${context.file.index}`;
  return `${key}:${context.position.offset}`;
}

/** Characters at the end of times and ids, where they differ. */
const TELLING_CHARS = 10;

/** Copies keep time, API message and content; forks rewrite cwd, branch and session. */
function fingerprintOf({ timestamp, message }: LineContext): number {
  let hash = timestamp === null ? 1 : hashEnd(0x811c9dc5, timestamp);
  if (message === null) return hash >>> 0;
  const { id, content } = message;
  if (typeof id === 'string') hash = hashEnd(hash, id);
  if (typeof content === 'string') hash = hashNumber(hash, content.length);
  else if (Array.isArray(content)) hash = hashBlocks(hash, content);
  return hash >>> 0;
}

function hashBlocks(seed: number, blocks: readonly unknown[]): number {
  const hash = hashNumber(seed, blocks.length);
  const block = blocks[0];
  if (typeof block !== 'object' || block === null) return hash;
  const { type, text, thinking, content } = block as { readonly [key: string]: unknown };
  return hashNumber(hash, lengthOf(type) + 31 * lengthOf(text) + 37 * lengthOf(thinking) + 41 * lengthOf(content));
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

function hashEnd(seed: number, text: string): number {
  let hash = seed;
  for (let at = Math.max(0, text.length - TELLING_CHARS); at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}

function hashNumber(seed: number, value: number): number {
  return Math.imul(seed ^ value, 0x01000193) ^ (value >>> 16);
}

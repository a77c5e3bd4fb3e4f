import { asObject, asText } from '../read/json.ts';
import type { LineContext } from '../line/context.ts';
import { noteAnomaly } from '../note.ts';
import { type LineKeys, NO_KEYS, repeatedRow } from './repeats.ts';
import { findRow, isUuidRow, NODE_KINDS, type NodeKind, rowOf, type UuidTable } from './uuid-table.ts';

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

/**
 * Puts a line into the uuid graph. A uuid that stands on two different lines belongs to the first; a line that repeats
 * another one under a fresh uuid hangs under the original.
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
 * Where the conversation stood before a compaction. A resumed client names a line that it never wrote; then the end of
 * what it preserved tells the same.
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

/** Nearly always the line before. */
function parentRowOf({ state }: LineContext, parent: string): number {
  return parent === state.lastPlaced.uuid ? state.lastPlaced.row : rowOf(state.uuids, parent);
}

/** An id for what has no usable uuid: the file and the offset of the record in it. */
export function positionId(context: LineContext): string {
  const key = SAFE_ID.test(context.file.key) ? context.file.key : `file${context.file.index}`;
  return `${key}:${context.position.offset}`;
}

/** The end of a time is where times differ. */
const TELLING_CHARS = 9;

/** A copy of a line has its uuid, its time and its size. */
function fingerprintOf({ timestamp, position }: LineContext): number {
  let hash = Math.imul(position.length ^ 0x811c9dc5, 0x01000193);
  if (timestamp === null) return hash >>> 0;
  for (let at = Math.max(0, timestamp.length - TELLING_CHARS); at < timestamp.length; at += 1) {
    hash = Math.imul(hash ^ timestamp.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * The uuid graph of a session as columns: one row per uuid that has a line or is named as a parent. Progress lines are
 * links of the chain too and can number millions, so a row costs tens of bytes and no object. Everything is plain data
 * (typed arrays and one Map for ids that are not uuids).
 */
export interface UuidTable {
  size: number;
  /** Four words per row: the uuid's 128 bits; zero for an irregular id. */
  words: Uint32Array;
  /** Open addressing: row + 1, or 0. Length is a power of two. */
  slots: Int32Array;
  /** Ids that are not of the form 8-4-4-4-12. */
  readonly odd: Map<string, number>;
  /** Row of the parent, -1 for none. */
  parent: Int32Array;
  /** Row that a compaction boundary names as the parent before the cut, -1 for none. */
  logicalParent: Int32Array;
  /** Kind of line (NODE_KINDS); 0 for a uuid that is only named as a parent. */
  kind: Uint8Array;
  /** Sequence number of the line in the parse; -1 if no line has this uuid. */
  line: Int32Array;
  /** Index of the thread (0 = main conversation). */
  thread: Int32Array;
  /** Index of the message the line belongs to, -1 for none. */
  message: Int32Array;
  /** Distinguishes a copy of a line from a different line with the same uuid. */
  fingerprint: Uint32Array;
}

export const NODE_KINDS = {
  absent: 0,
  prompt: 1,
  injected: 2,
  toolResult: 3,
  assistant: 4,
  system: 5,
  boundary: 6,
  progress: 7,
  attachment: 8,
  other: 9,
  /** A line that repeats another under its own uuid; its parent is the row it repeats. */
  repeat: 10,
} as const;

export type NodeKind = (typeof NODE_KINDS)[keyof typeof NODE_KINDS];

const FIRST_ROWS = 256;
const UUID_LENGTH = 36;

export function createUuidTable(): UuidTable {
  return {
    size: 0,
    words: new Uint32Array(FIRST_ROWS * 4),
    slots: new Int32Array(FIRST_ROWS * 4),
    odd: new Map(),
    parent: new Int32Array(FIRST_ROWS).fill(-1),
    logicalParent: new Int32Array(FIRST_ROWS).fill(-1),
    kind: new Uint8Array(FIRST_ROWS),
    line: new Int32Array(FIRST_ROWS).fill(-1),
    thread: new Int32Array(FIRST_ROWS),
    message: new Int32Array(FIRST_ROWS).fill(-1),
    fingerprint: new Uint32Array(FIRST_ROWS),
  };
}

const parsed = new Uint32Array(4);

/** The row of an id, created if it is new. */
export function rowOf(table: UuidTable, id: string): number {
  if (!parseUuid(id)) return oddRow(table, id);
  const slot = findSlot(table, parsed);
  const known = table.slots[slot] as number;
  if (known > 0) return known - 1;
  if (table.size * 2 >= table.slots.length) growSlots(table);
  const row = addRow(table);
  table.words.set(parsed, row * 4);
  table.slots[findSlot(table, parsed)] = row + 1;
  return row;
}

/** The row of an existing id, or -1. */
export function findRow(table: UuidTable, id: string): number {
  if (!parseUuid(id)) return table.odd.get(id) ?? -1;
  return (table.slots[findSlot(table, parsed)] as number) - 1;
}

/** True when the row's id has the form of a uuid. */
export function isUuidRow({ words }: UuidTable, row: number): boolean {
  const at = row * 4;
  return (
    ((words[at] as number) | (words[at + 1] as number) | (words[at + 2] as number) | (words[at + 3] as number)) !== 0
  );
}

function oddRow(table: UuidTable, id: string): number {
  const known = table.odd.get(id);
  if (known !== undefined) return known;
  const row = addRow(table);
  table.odd.set(id, row);
  return row;
}

/** Value of a lower-case hex digit by character code; -1 for anything else. */
const HEX = Int8Array.from({ length: 128 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code)));
const DASH = 0x2d;

/** Accepts lower-case 8-4-4-4-12 only; a different spelling is a different id. Leaves the words in `parsed`. */
function parseUuid(id: string): boolean {
  if (id.length !== UUID_LENGTH) return false;
  if (id.charCodeAt(8) !== DASH || id.charCodeAt(13) !== DASH) return false;
  if (id.charCodeAt(18) !== DASH || id.charCodeAt(23) !== DASH) return false;
  const [a, b, c, d] = [quad(id, 0), quad(id, 4), quad(id, 9), quad(id, 14)];
  const [e, f, g, h] = [quad(id, 19), quad(id, 24), quad(id, 28), quad(id, 32)];
  if ((a | b | c | d | e | f | g | h) < 0) return false;
  parsed[0] = (a << 16) | b;
  parsed[1] = (c << 16) | d;
  parsed[2] = (e << 16) | f;
  parsed[3] = (g << 16) | h;
  return true;
}

/** Four hex digits as a number; negative if any of them is invalid. */
function quad(id: string, at: number): number {
  return (digit(id, at) << 12) | (digit(id, at + 1) << 8) | (digit(id, at + 2) << 4) | digit(id, at + 3);
}

function digit(id: string, at: number): number {
  const code = id.charCodeAt(at);
  return code < HEX.length ? (HEX[code] as number) : -1;
}

function findSlot(table: UuidTable, key: Uint32Array): number {
  const { slots, words } = table;
  const mask = slots.length - 1;
  let slot = hashWords(key[0] as number, key[1] as number, key[2] as number, key[3] as number) & mask;
  for (;;) {
    const row = (slots[slot] as number) - 1;
    if (row < 0) return slot;
    const at = row * 4;
    if (words[at] === key[0] && words[at + 1] === key[1] && words[at + 2] === key[2] && words[at + 3] === key[3]) {
      return slot;
    }
    slot = (slot + 1) & mask;
  }
}

function hashWords(a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(a ^ (b >>> 15), 0x2c1b3c6d) ^ Math.imul(c ^ (d >>> 13), 0x297a2d39);
  hash = Math.imul(hash ^ (hash >>> 12) ^ b ^ d, 0x9e3779b1);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function growSlots(table: UuidTable): void {
  table.slots = new Int32Array(table.slots.length * 2);
  const key = new Uint32Array(4);
  const odd = new Set(table.odd.values());
  for (let row = 0; row < table.size; row += 1) {
    if (odd.has(row)) continue;
    key.set(table.words.subarray(row * 4, row * 4 + 4));
    table.slots[findSlot(table, key)] = row + 1;
  }
}

function addRow(table: UuidTable): number {
  if (table.size === table.parent.length) growColumns(table);
  table.size += 1;
  return table.size - 1;
}

function growColumns(table: UuidTable): void {
  const rows = table.size * 2;
  table.words = grownWords(table.words, rows * 4);
  table.fingerprint = grownWords(table.fingerprint, rows);
  table.parent = grownInts(table.parent, rows, -1);
  table.logicalParent = grownInts(table.logicalParent, rows, -1);
  table.line = grownInts(table.line, rows, -1);
  table.thread = grownInts(table.thread, rows, 0);
  table.message = grownInts(table.message, rows, -1);
  const kind = new Uint8Array(rows);
  kind.set(table.kind);
  table.kind = kind;
}

function grownInts(old: Int32Array, rows: number, fill: number): Int32Array {
  const next = new Int32Array(rows);
  if (fill !== 0) next.fill(fill, old.length);
  next.set(old);
  return next;
}

function grownWords(old: Uint32Array, length: number): Uint32Array {
  const next = new Uint32Array(length);
  next.set(old);
  return next;
}

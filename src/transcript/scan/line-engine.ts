/** Bytes to be looked at stand from here on; what is below belongs to the engine. */
export const FIRST_BYTE = 16_384;

/** Finds lines with usage, and the places and meaning of values in them. Others fill its memory. */
export interface LineEngine {
  /** The whole memory: addresses are positions in it. This and the two below are other arrays after `grow`. */
  readonly bytes: Buffer;
  /** Start and end of each value the key table names, 0 when the record has none. */
  readonly slots: Int32Array;
  /** What the value means, see KIND of read-values.ts. */
  readonly values: Int32Array;
  /** Of the line found last; the end is its newline, or the end of the search. */
  readonly lineStart: number;
  readonly lineEnd: number;
  /** How many bytes fit in behind FIRST_BYTE. */
  readonly sizeBytes: number;
  /** Goes to the next line with usage; `from` is the start of a line. */
  findLine(from: number, to: number): boolean;
  /** Fills `slots` from the record at `from` and gives the address behind it; 0 when it is unusual. */
  readRecord(from: number, to: number): number;
  /** Fills `values` from `slots`; false when one of them is not written in the usual way. */
  readValues(): boolean;
  /** Makes room for so many bytes and keeps what is there. */
  grow(sizeBytes: number): void;
}

/** What `values` holds for a text: the same as in the record before, or another. */
export const SAME_TEXT = 1;
export const OTHER_TEXT = 2;

/** FNV-1a, 32 bits: the engine hashes ids with it. */
export const HASH_START = 0x811c9dc5;
export const HASH_FACTOR = 0x01000193;

/** The same hash in JavaScript, for the few ids outside the engine's memory. */
export function hashOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => Math.imul(value ^ byte, HASH_FACTOR), HASH_START | 0);
}

/** What is wanted of an object's keys: a place in the engine's slots, and what kind of value it is. */
export interface Wanted {
  readonly slot: string;
  readonly kind: 'place' | 'count' | 'flag' | 'object' | 'word' | 'time' | 'text';
  /** Words that the scan tells apart, numbered from 1. */
  readonly words?: readonly string[];
  /** The keys of the object that is the value. */
  readonly table?: KeyTable;
}

export interface KeyTable {
  readonly [key: string]: Wanted;
}

export const place = (slot: string, table: KeyTable): Wanted => ({ slot, kind: 'place', table });
export const count = (slot: string): Wanted => ({ slot, kind: 'count' });
export const flag = (slot: string): Wanted => ({ slot, kind: 'flag' });
export const object = (slot: string): Wanted => ({ slot, kind: 'object' });
export const word = (slot: string, ...words: readonly string[]): Wanted => ({ slot, kind: 'word', words });
export const time = (slot: string): Wanted => ({ slot, kind: 'time' });
export const text = (slot: string): Wanted => ({ slot, kind: 'text' });

/** All tables in it, each once, those inside before those around. */
export function tablesOf(root: KeyTable): readonly KeyTable[] {
  const inner = Object.values(root).flatMap(({ table }) => (table === undefined ? [] : tablesOf(table)));
  return [...new Set([...inner, root])];
}

/** Every wanted slot once, in the order of their numbers. */
export function slotsOf(root: KeyTable): readonly Wanted[] {
  const wanted = tablesOf(root).flatMap((table) => Object.values(table));
  return [...new Map(wanted.map((each) => [each.slot, each])).values()];
}

/** Where the start of each value is noted in the engine's slots, and its meaning in the values; the rest behind it. */
export function slotPlaces(root: KeyTable): Readonly<Record<string, number>> {
  return Object.fromEntries(slotsOf(root).map(({ slot }, index) => [slot, 2 * index]));
}

const NEWLINE = 0x0a;
const NEEDLE = Buffer.from('"output_tokens"');

/** Does without WebAssembly: finds lines, and leaves all records to JSON.parse. */
export class PlainEngine implements LineEngine {
  bytes: Buffer;
  readonly slots = new Int32Array(0);
  readonly values = new Int32Array(0);
  lineStart = 0;
  lineEnd = 0;

  constructor(sizeBytes: number) {
    this.bytes = Buffer.alloc(FIRST_BYTE + sizeBytes);
  }

  get sizeBytes(): number {
    return this.bytes.length - FIRST_BYTE;
  }

  findLine(from: number, to: number): boolean {
    const searched = this.bytes.subarray(from, to);
    const hit = searched.indexOf(NEEDLE);
    if (hit < 0) return false;
    const newline = searched.indexOf(NEWLINE, hit);
    this.lineStart = from + searched.lastIndexOf(NEWLINE, hit) + 1;
    this.lineEnd = newline < 0 ? to : from + newline;
    return true;
  }

  readRecord(): number {
    return 0;
  }

  readValues(): boolean {
    return false;
  }

  grow(sizeBytes: number): void {
    if (sizeBytes <= this.sizeBytes) return;
    const larger = Buffer.alloc(FIRST_BYTE + sizeBytes);
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}

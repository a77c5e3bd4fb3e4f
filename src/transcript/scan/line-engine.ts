/** Input bytes start at this address; memory below it belongs to the engine. */
export const FIRST_BYTE = 16_384;

/** Finds lines with usage, and locates and decodes values in them. The caller fills its memory. */
export interface LineEngine {
  /** The whole memory; addresses are positions in it. This array and the next two are replaced by `grow`. */
  readonly bytes: Buffer;
  /** Start and end of each value in the key table; 0 if the record has none. */
  readonly slots: Int32Array;
  /** Decoded values, see KIND in read-values.ts. */
  readonly values: Int32Array;
  /** Of the line found last; the end is its newline or the end of the search. */
  readonly lineStart: number;
  readonly lineEnd: number;
  /** Number of bytes that fit after FIRST_BYTE. */
  readonly sizeBytes: number;
  /** Finds the next line with usage; `from` is the start of a line. */
  findLine(from: number, to: number): boolean;
  /** Fills `slots` from the record at `from` and returns the address after it; 0 if the record is unusual. */
  readRecord(from: number, to: number): number;
  /** Fills `values` from `slots`; false if a value is not written in the usual form. */
  readValues(): boolean;
  /** Makes room for this many bytes and keeps the content. */
  grow(sizeBytes: number): void;
}

/** Entries of `values` for a text: the same as in the previous record, or a different one. */
export const SAME_TEXT = 1;
export const OTHER_TEXT = 2;

/** FNV-1a, 32 bits; the engine hashes ids with it. */
export const HASH_START = 0x811c9dc5;
export const HASH_FACTOR = 0x01000193;

/** The same hash in JavaScript, for the few ids outside the engine's memory. */
export function hashOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => Math.imul(value ^ byte, HASH_FACTOR), HASH_START | 0);
}

/** A requested key: its slot in the engine and the kind of its value. */
interface Wanted {
  readonly slot: string;
  readonly kind: 'place' | 'count' | 'flag' | 'object' | 'word' | 'time' | 'text';
  /** Words that the scan distinguishes, numbered from 1. */
  readonly words?: readonly string[];
  /** Keys of the object that is the value. */
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

/** All tables below the root, each once, inner tables before outer ones. */
export function tablesOf(root: KeyTable): readonly KeyTable[] {
  const inner = Object.values(root).flatMap(({ table }) => (table === undefined ? [] : tablesOf(table)));
  return [...new Set([...inner, root])];
}

/** Every requested slot once, in numerical order. */
export function slotsOf(root: KeyTable): readonly Wanted[] {
  const wanted = tablesOf(root).flatMap((table) => Object.values(table));
  return [...new Map(wanted.map((each) => [each.slot, each])).values()];
}

/** Index of each value's start in the engine's slots and of its meaning in the values; the second number follows it. */
export function slotPlaces(root: KeyTable): Readonly<Record<string, number>> {
  return Object.fromEntries(slotsOf(root).map(({ slot }, index) => [slot, 2 * index]));
}

/** In every line with usage; text inside a JSON string has escaped quotes and never matches. */
export const NEEDLE = Buffer.from('"usage"');

const NEWLINE = 0x0a;

/** Fallback without WebAssembly: finds lines and leaves all records to JSON.parse. */
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

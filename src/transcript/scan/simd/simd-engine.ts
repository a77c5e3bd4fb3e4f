import { FIRST_BYTE, type KeyTable, type LineEngine, slotPlaces, slotsOf, tablesOf } from '../line-engine.ts';
import { createMemory, hasWasm, instantiate, moduleOf, PAGE_BYTES, type Routine, type WasmMemory } from './emit.ts';
import { ENTRY, entryOf, findEntry } from './find-entry.ts';
import { findLine, LINE_END_AT, LINE_START_AT } from './find-line.ts';
import { readRecord } from './read-record.ts';
import { hasControls, hash, isPlain, isSame, readCount, readTime, twoDigits } from './read-value.ts';
import { KEPT_TEXT, KIND, readValues, SLOT_INFO } from './read-values.ts';
import { skipNested, skipString, skipWord } from './skip-value.ts';

/** Memory layout below FIRST_BYTE; at most 64 slots. */
const MAX_SLOTS = 64;
const SLOTS_AT = 64;
const VALUES_AT = SLOTS_AT + 8 * MAX_SLOTS;
const INFO_AT = VALUES_AT + 8 * MAX_SLOTS;
const STACK_AT = INFO_AT + SLOT_INFO.bytes * MAX_SLOTS;
const TABLES_AT = 2_048;
/** The routines read this far past the last byte. */
const READ_AHEAD_BYTES = 64;
const CARRIAGE_RETURN = 0x0d;

/** The routines in numerical order. */
const INDEX = {
  skipStringIndex: 0,
  skipNestedIndex: 1,
  skipWordIndex: 2,
  findEntryIndex: 3,
  readCountIndex: 4,
  isPlainIndex: 5,
  isSameIndex: 6,
  hashIndex: 7,
  twoDigitsIndex: 8,
  readTimeIndex: 9,
  hasControlsIndex: 10,
} as const;

/** The usage scan in WebAssembly with SIMD. The rest of the program imports only this class from the folder. */
export class SimdEngine implements LineEngine {
  bytes: Buffer;
  slots: Int32Array;
  values: Int32Array;
  readonly #memory: WasmMemory;
  readonly #findLine: Routine;
  readonly #readRecord: Routine;
  readonly #readValues: Routine;
  #line: Int32Array;

  static isSupported(): boolean {
    return hasWasm();
  }

  constructor(keys: KeyTable, sizeBytes: number) {
    this.#memory = createMemory(pagesFor(sizeBytes));
    this.bytes = Buffer.from(this.#memory.buffer);
    const code = codeFor(slotsOf(keys).length, writeTables(this.bytes, keys));
    const routines = instantiate(code, this.#memory);
    this.#findLine = routines['findLine'] as Routine;
    this.#readRecord = routines['readRecord'] as Routine;
    this.#readValues = routines['readValues'] as Routine;
    this.slots = new Int32Array(this.#memory.buffer, SLOTS_AT, 2 * MAX_SLOTS);
    this.values = new Int32Array(this.#memory.buffer, VALUES_AT, 2 * MAX_SLOTS);
    this.#line = new Int32Array(this.#memory.buffer, 0, 2);
  }

  get lineStart(): number {
    return this.#line[LINE_START_AT / 4] as number;
  }

  get lineEnd(): number {
    return this.#line[LINE_END_AT / 4] as number;
  }

  get sizeBytes(): number {
    return this.bytes.length - FIRST_BYTE - READ_AHEAD_BYTES;
  }

  findLine(from: number, to: number): boolean {
    return from < to && this.#findLine(from, to, 0) === 1;
  }

  readRecord(from: number, to: number): number {
    // A line of a DOS file ends in a carriage return; any other control character is damage.
    const end = this.bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
    const recordEnd = this.#readRecord(from, end, 0);
    return recordEnd <= end ? recordEnd : 0;
  }

  readValues(): boolean {
    return this.#readValues(0, 0, 0) === 1;
  }

  grow(sizeBytes: number): void {
    const missing = pagesFor(sizeBytes) - this.#memory.buffer.byteLength / PAGE_BYTES;
    if (missing <= 0) return;
    this.#memory.grow(missing);
    this.bytes = Buffer.from(this.#memory.buffer);
    this.slots = new Int32Array(this.#memory.buffer, SLOTS_AT, 2 * MAX_SLOTS);
    this.values = new Int32Array(this.#memory.buffer, VALUES_AT, 2 * MAX_SLOTS);
    this.#line = new Int32Array(this.#memory.buffer, 0, 2);
  }
}

function pagesFor(sizeBytes: number): number {
  return Math.ceil((FIRST_BYTE + sizeBytes + READ_AHEAD_BYTES) / PAGE_BYTES);
}

function codeFor(slotCount: number, rootTableAt: number): Uint8Array<ArrayBuffer> {
  const places = { slotsAt: SLOTS_AT, slotCount, valuesAt: VALUES_AT, infoAt: INFO_AT };
  const tables = { slotsBytes: 8 * slotCount, stackAt: STACK_AT, rootTableAt };
  return moduleOf([
    skipString,
    skipNested(INDEX),
    skipWord,
    findEntry,
    readCount,
    isPlain,
    isSame,
    hash,
    twoDigits,
    readTime(INDEX.twoDigitsIndex),
    hasControls,
    readRecord({ ...places, ...tables, ...INDEX }),
    readValues({ ...places, ...INDEX }),
    findLine,
  ]);
}

/** Writes the requested keys into memory and returns the address of the root table. */
function writeTables(bytes: Buffer, keys: KeyTable): number {
  const memory = new TableWriter(bytes);
  const wanted = slotsOf(keys);
  if (wanted.length > MAX_SLOTS) throw new RangeError(`${wanted.length} slots are too many`);
  for (const [index, { kind, words }] of wanted.entries()) {
    const address = words ? memory.table(words.map((word, code) => entryOf(word, code + 1, 0))) : 0;
    const kept = kind === 'text' ? memory.room(KEPT_TEXT.bytes) : 0;
    bytes.writeInt32LE(KIND[kind], INFO_AT + index * SLOT_INFO.bytes + SLOT_INFO.kind);
    bytes.writeInt32LE(address || kept, INFO_AT + index * SLOT_INFO.bytes + SLOT_INFO.address);
  }
  const places = slotPlaces(keys);
  const addresses = new Map<KeyTable, number>();
  for (const table of tablesOf(keys)) {
    const entries = Object.entries(table).map(([key, { slot, table: child }]) =>
      entryOf(key, SLOTS_AT + 4 * (places[slot] as number), child ? (addresses.get(child) as number) : 0),
    );
    addresses.set(table, memory.table(entries));
  }
  return addresses.get(keys) as number;
}

class TableWriter {
  readonly #bytes: Buffer;
  #free = TABLES_AT;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  room(sizeBytes: number): number {
    const at = this.#free;
    this.#free += sizeBytes;
    if (this.#free > FIRST_BYTE) throw new RangeError('too many keys');
    return at;
  }

  /** Adds an empty entry after the last one, which ends the table. */
  table(entries: readonly Buffer[]): number {
    const at = this.room((entries.length + 1) * ENTRY.bytes);
    Buffer.concat(entries).copy(this.#bytes, at);
    return at;
  }
}

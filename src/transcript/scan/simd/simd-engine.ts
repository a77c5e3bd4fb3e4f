import { moduleOf } from './emit.ts';
import { findLine, LINE_END_AT, LINE_START_AT } from './find-line.ts';
import { entriesOf, type KeyTable, slotPlaces, tablesOf } from './key-table.ts';
import { FIRST_BYTE, type LineEngine } from './line-engine.ts';
import { KEY_ENTRY, readRecord } from './read-record.ts';
import { skipNested, skipString, skipWord } from './skip-value.ts';

const PAGE_BYTES = 65_536;
const SLOTS_AT = 64;
const STACK_AT = 1_024;
const TABLES_AT = 2_048;
/** The routines look so far behind the last byte. */
const READ_AHEAD_BYTES = 64;
const BLOCK_BYTES = 16;

type Routine = (from: number, to: number) => number;

/** The part of the global WebAssembly that is used; Node's types do not describe it. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface Wasm {
  readonly Memory: new (limits: { initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, Routine>> };
}

/** False where WebAssembly is switched off. */
export function hasSimd(): boolean {
  return 'WebAssembly' in globalThis;
}

/** Finds lines with usage and the places of values in them, in a memory of its own that others fill. */
export class SimdEngine implements LineEngine {
  bytes: Buffer;
  slots: Int32Array;
  readonly #memory: WasmMemory;
  readonly #findLine: Routine;
  readonly #readRecord: Routine;
  readonly #slotCount: number;
  #line: Int32Array;

  constructor(keys: KeyTable<string>, sizeBytes: number) {
    const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
    this.#memory = new wasm.Memory({ initial: pagesFor(sizeBytes) });
    this.bytes = Buffer.from(this.#memory.buffer);
    this.#slotCount = 2 * Object.keys(slotPlaces(keys)).length;
    const rootTableAt = writeTables(this.bytes, keys);
    const layout = { slotsAt: SLOTS_AT, slotsBytes: 4 * this.#slotCount, stackAt: STACK_AT, rootTableAt };
    const indexes = { skipStringIndex: 0, skipNestedIndex: 1, skipWordIndex: 2 };
    const code = moduleOf([skipString, skipNested(0), skipWord, readRecord({ ...layout, ...indexes }), findLine]);
    const { exports } = new wasm.Instance(new wasm.Module(code), { env: { memory: this.#memory } });
    this.#findLine = exports['findLine'] as Routine;
    this.#readRecord = exports['readRecord'] as Routine;
    this.slots = new Int32Array(this.#memory.buffer, SLOTS_AT, this.#slotCount);
    this.#line = new Int32Array(this.#memory.buffer, 0, 2);
  }

  get lineStart(): number {
    return this.#line[LINE_START_AT / 4] as number;
  }

  get lineEnd(): number {
    return this.#line[LINE_END_AT / 4] as number;
  }

  findLine(from: number, to: number): boolean {
    return from < to && this.#findLine(from, to) === 1;
  }

  readRecord(from: number, to: number): number {
    const end = this.#readRecord(from, to);
    return end <= to ? end : 0;
  }

  grow(sizeBytes: number): void {
    const missing = pagesFor(sizeBytes) - this.#memory.buffer.byteLength / PAGE_BYTES;
    if (missing <= 0) return;
    this.#memory.grow(missing);
    this.bytes = Buffer.from(this.#memory.buffer);
    this.slots = new Int32Array(this.#memory.buffer, SLOTS_AT, this.#slotCount);
    this.#line = new Int32Array(this.#memory.buffer, 0, 2);
  }

  get sizeBytes(): number {
    return this.bytes.length - FIRST_BYTE - READ_AHEAD_BYTES;
  }
}

function pagesFor(sizeBytes: number): number {
  return Math.ceil((FIRST_BYTE + sizeBytes + READ_AHEAD_BYTES) / PAGE_BYTES);
}

/** Gives the address of the root table. */
function writeTables(bytes: Buffer, keys: KeyTable<string>): number {
  const places = slotPlaces(keys);
  const addresses = new Map<KeyTable<string>, number>();
  let free = TABLES_AT;
  for (const table of tablesOf(keys)) {
    addresses.set(table, free);
    for (const { key, slot, table: child } of entriesOf(table)) {
      const slotAt = SLOTS_AT + 4 * (places[slot] as number);
      writeEntry(bytes, free, key, slotAt, child === null ? 0 : (addresses.get(child) as number));
      free += KEY_ENTRY.bytes;
    }
    // The end of the table: a length of 0.
    free += KEY_ENTRY.bytes;
  }
  if (free > FIRST_BYTE || SLOTS_AT + 8 * Object.keys(places).length > STACK_AT) throw new RangeError('too many keys');
  return addresses.get(keys) as number;
}

function writeEntry(bytes: Buffer, at: number, key: string, slotAt: number, childAt: number): void {
  const name = Buffer.from(key);
  if (name.length === 0 || name.length > 2 * BLOCK_BYTES) throw new RangeError(`a key of ${name.length} bytes`);
  bytes.writeInt32LE(name.length, at + KEY_ENTRY.length);
  bytes.writeInt32LE(slotAt, at + KEY_ENTRY.slot);
  bytes.writeInt32LE(childAt, at + KEY_ENTRY.child);
  const headBytes = Math.min(name.length, BLOCK_BYTES);
  name.copy(bytes, at + KEY_ENTRY.head, 0, headBytes);
  bytes.fill(0xff, at + KEY_ENTRY.headMask, at + KEY_ENTRY.headMask + headBytes);
  if (name.length <= BLOCK_BYTES) return;
  name.copy(bytes, at + KEY_ENTRY.tail, name.length - BLOCK_BYTES);
  bytes.fill(0xff, at + KEY_ENTRY.tailMask, at + KEY_ENTRY.tailMask + BLOCK_BYTES);
}

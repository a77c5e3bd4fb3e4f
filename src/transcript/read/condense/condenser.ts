import { moduleOf } from '../../wasm/emit.ts';
import { ENTRY, entryOf, findEntry } from '../../wasm/find-entry.ts';
import { createMemory, instantiate, PAGE_BYTES, type Routine, type WasmMemory } from '../../wasm/instance.ts';
import { condenseLine } from './condense-line.ts';
import {
  ESCAPES_AT,
  HEX_AT,
  LINE_AT,
  MASKS_AT,
  RESULT,
  RESULT_AT,
  SLACK_BYTES,
  TABLES_AT,
  TEXT_BYTES,
  TEXT_FLAGS,
  TEXTS_AT,
} from './layout.ts';
import { skipLongString } from './skip-long-string.ts';
import { DEPTHS, type TextRule } from './rules.ts';
import { unescape } from './unescape.ts';

/** Buffer.toString without the search for the encoding's name; not in Node's types. */
interface SlicedBuffer extends Buffer {
  utf8Slice(start: number, end: number): string;
  latin1Slice(start: number, end: number): string;
}

/** Room for a line and for what is made of it, to begin with. */
const FIRST_LINE_BYTES = 256 * 1024;

/** Shortens lines before they are parsed. One line at a time: what it gives is of the line condensed last. */
export class Condenser {
  /** Of the line condensed last. */
  textCount = 0;
  /** Some byte of the line is over 0x7f: whether it is right UTF-8 has not been looked at. */
  isHigh = false;
  readonly #memory: WasmMemory;
  readonly #condense: Routine;
  readonly #unescape: Routine;
  #bytes: SlicedBuffer;
  #words: Int32Array;
  #outAt = LINE_AT;

  constructor(rules: readonly TextRule[]) {
    this.#memory = createMemory(pagesFor(FIRST_LINE_BYTES));
    this.#bytes = Buffer.from(this.#memory.buffer) as SlicedBuffer;
    this.#words = new Int32Array(this.#memory.buffer, 0, LINE_AT / 4);
    const tables = writeTables(this.#bytes, rules);
    const code = moduleOf([
      findEntry,
      skipLongString,
      unescape,
      condenseLine({ findEntryIndex: 0, skipLongStringIndex: 1, ...tables }),
    ]);
    const routines = instantiate(code, this.#memory);
    this.#condense = routines['condense'] as Routine;
    this.#unescape = routines['unescape'] as Routine;
  }

  /** The line without its long texts, or null when it is not fit for that. */
  condense(line: Buffer, start: number, end: number): string | null {
    const length = end - start;
    this.#makeRoom(length);
    line.copy(this.#bytes, LINE_AT, start, end);
    this.#outAt = LINE_AT + length + SLACK_BYTES;
    if (this.#condense(LINE_AT, LINE_AT + length, this.#outAt) === 0) return null;
    this.textCount = this.#result(RESULT.texts);
    this.isHigh = this.#result(RESULT.isAnyHigh) !== 0;
    return this.#textBetween(
      this.#result(RESULT.start),
      this.#result(RESULT.end),
      this.#result(RESULT.isKeptHigh) !== 0,
    );
  }

  /** A text that was set aside, or null when it has half of a surrogate pair. */
  text(index: number): string | null {
    const at = (TEXTS_AT + index * TEXT_BYTES) / 4;
    const start = this.#words[at] as number;
    const end = this.#words[at + 1] as number;
    const flags = this.#words[at + 2] as number;
    const isHigh = (flags & TEXT_FLAGS.high) !== 0;
    if ((flags & TEXT_FLAGS.escaped) === 0) return this.#textBetween(start, end, isHigh);
    this.#words[(RESULT_AT + RESULT.isUnescapedHigh) / 4] = isHigh ? 1 : 0;
    const written = this.#unescape(start, end, this.#outAt);
    return written === 0 ? null : this.#textBetween(this.#outAt, written, this.#result(RESULT.isUnescapedHigh) !== 0);
  }

  #result(word: number): number {
    return this.#words[(RESULT_AT + word) / 4] as number;
  }

  #textBetween(start: number, end: number, isHigh: boolean): string {
    return isHigh ? this.#bytes.utf8Slice(start, end) : this.#bytes.latin1Slice(start, end);
  }

  #makeRoom(lineBytes: number): void {
    const missing = pagesFor(lineBytes) - this.#memory.buffer.byteLength / PAGE_BYTES;
    if (missing <= 0) return;
    this.#memory.grow(missing);
    this.#bytes = Buffer.from(this.#memory.buffer) as SlicedBuffer;
    this.#words = new Int32Array(this.#memory.buffer, 0, LINE_AT / 4);
  }
}

function pagesFor(lineBytes: number): number {
  return Math.ceil((LINE_AT + 2 * (lineBytes + SLACK_BYTES)) / PAGE_BYTES);
}

interface Tables {
  readonly regionsAt: number;
  readonly keysAt: number;
  readonly asideBits: number;
}

/** Each rule is a bit: a text is left out when the rules of its key and those of its place have one in common. */
function writeTables(bytes: Buffer, rules: readonly TextRule[]): Tables {
  writeEscapes(bytes);
  const regions = [...new Set(rules.map(({ below }) => below))];
  const keys = [...new Set(rules.flatMap((rule) => rule.keys))];
  for (const [index, region] of regions.entries()) {
    for (let depth = 2; depth < DEPTHS; depth += 1) {
      const bits = bitsOf(rules, (rule) => rule.below === region && (rule.depth === depth || rule.depth === 'any'));
      bytes.writeInt32LE(bits, MASKS_AT + ((index + 1) * DEPTHS + depth) * 4);
    }
  }
  const keysAt = TABLES_AT + (regions.length + 1) * ENTRY.bytes;
  Buffer.concat(regions.map((region, index) => entryOf(region, index + 1, 0))).copy(bytes, TABLES_AT);
  Buffer.concat(
    keys.map((key) =>
      entryOf(
        key,
        bitsOf(rules, (rule) => rule.keys.includes(key)),
        0,
      ),
    ),
  ).copy(bytes, keysAt);
  return { regionsAt: TABLES_AT, keysAt, asideBits: bitsOf(rules, ({ action }) => action === 'setAside') };
}

function bitsOf(rules: readonly TextRule[], isMeant: (rule: TextRule) => boolean): number {
  return rules.reduce((bits, rule, index) => bits | (isMeant(rule) ? 1 << index : 0), 0);
}

function writeEscapes(bytes: Buffer): void {
  for (const [letter, meaning] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t', 'u\u0001'].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ])) {
    bytes[ESCAPES_AT + (letter as number)] = meaning as number;
  }
  for (let byte = 0; byte < 256; byte += 1) {
    const value = Number.parseInt(String.fromCharCode(byte), 16);
    bytes[HEX_AT + byte] = Number.isNaN(value) ? 0xff : value;
  }
}

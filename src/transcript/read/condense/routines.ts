import { moduleOf } from '../../wasm/emit.ts';
import { ENTRY, entryOf, findEntry } from '../../wasm/find-entry.ts';
import { instantiate, type Routine } from '../../wasm/instance.ts';
import { condenseLine } from './condense-line.ts';
import { FLAT_DATA_KEYS, FLAT_LINE_KEYS, FLAT_SLOTS, FLAT_TYPES } from './flat-keys.ts';
import { FLAT_ENTRY, readFlat } from './flat-line.ts';
import { ESCAPES_AT, HEX_AT, MASKS_AT, SLOT_BYTES, SLOTS_AT, TABLES_AT } from './layout.ts';
import type { LineMemory } from './line-memory.ts';
import { DEPTHS, type TextRule } from './rules.ts';
import { skipLongString } from './skip-long-string.ts';
import { unescape } from './unescape.ts';

export interface LineRoutines {
  readonly condense: Routine;
  readonly unescape: Routine;
  readonly readFlat: Routine;
}

/** Writes the tables into memory and makes the routines that look things up in them. */
export function createRoutines(memory: LineMemory, rules: readonly TextRule[]): LineRoutines {
  const { bytes } = memory;
  writeEscapes(bytes);
  writeMasks(bytes, rules);
  const writer = new TableWriter(bytes);
  const regionsAt = writer.write(regionsOf(rules).map((region, index) => entryOf(region, index + 1, 0)));
  const keysAt = writer.write(
    keysOf(rules).map((key) =>
      entryOf(
        key,
        bitsOf(rules, ({ keys }) => keys.includes(key)),
        0,
      ),
    ),
  );
  const lineKeysAt = writer.write(lineEntries());
  const dataKeysAt = writer.write(dataEntries());
  const asideBits = bitsOf(rules, ({ action }) => action === 'setAside');
  const places = { findEntryIndex: 0, skipLongStringIndex: 1 };
  const made = instantiate(
    moduleOf([
      findEntry,
      skipLongString,
      unescape,
      condenseLine({ ...places, regionsAt, keysAt, asideBits }),
      readFlat({ ...places, lineKeysAt, dataKeysAt }),
    ]),
    memory.wasm,
  );
  return {
    condense: made['condense'] as Routine,
    unescape: made['unescape'] as Routine,
    readFlat: made['readFlat'] as Routine,
  };
}

class TableWriter {
  readonly #bytes: Buffer;
  #free = TABLES_AT;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** With an empty entry behind the last one: the end of the table. */
  write(entries: readonly Buffer[]): number {
    const at = this.#free;
    this.#free += (entries.length + 1) * ENTRY.bytes;
    if (this.#free > SLOTS_AT) throw new RangeError('too many keys');
    Buffer.concat(entries).copy(this.#bytes, at);
    return at;
  }
}

function regionsOf(rules: readonly TextRule[]): readonly string[] {
  return [...new Set(rules.map(({ below }) => below))];
}

function keysOf(rules: readonly TextRule[]): readonly string[] {
  return [...new Set(rules.flatMap(({ keys }) => keys))];
}

/** Each rule is a bit: a text is left out when the rules of its key and those of its place have one in common. */
function bitsOf(rules: readonly TextRule[], isMeant: (rule: TextRule) => boolean): number {
  return rules.reduce((bits, rule, index) => bits | (isMeant(rule) ? 1 << index : 0), 0);
}

function writeMasks(bytes: Buffer, rules: readonly TextRule[]): void {
  for (const [index, region] of regionsOf(rules).entries()) {
    for (let depth = 2; depth < DEPTHS; depth += 1) {
      const bits = bitsOf(rules, (rule) => rule.below === region && (rule.depth === depth || rule.depth === 'any'));
      bytes.writeInt32LE(bits, MASKS_AT + ((index + 1) * DEPTHS + depth) * 4);
    }
  }
}

const ANY_KIND = -1;

function lineEntries(): readonly Buffer[] {
  return Object.entries(FLAT_LINE_KEYS).map(([key, about]) => flatEntry(key, key, about.types, ANY_KIND));
}

/** A key of `data` goes with one kind of it or with several; its type goes with all. */
function dataEntries(): readonly Buffer[] {
  const kinds = Object.values(FLAT_DATA_KEYS) as readonly Readonly<Record<string, number>>[];
  const keys = new Set(kinds.flatMap((kind) => Object.keys(kind)));
  return [
    flatEntry('type', 'data.type', FLAT_TYPES.text, ANY_KIND),
    ...Array.from(keys, (key) => {
      const bits = kinds.reduce((all, kind, index) => all | (kind[key] === undefined ? 0 : 1 << index), 0);
      const types = kinds.reduce((all, kind) => all & (kind[key] ?? all), ANY_KIND);
      return flatEntry(key, '', types, bits);
    }),
  ];
}

function flatEntry(key: string, slot: string, types: number, kinds: number): Buffer {
  const index = FLAT_SLOTS.indexOf(slot);
  const entry = entryOf(key, 0, 0);
  entry.writeInt32LE(index < 0 ? 0 : SLOTS_AT + index * SLOT_BYTES, FLAT_ENTRY.slot);
  entry.writeInt32LE(types, FLAT_ENTRY.types);
  entry.writeInt32LE(kinds, FLAT_ENTRY.kinds);
  return entry;
}

function writeEscapes(bytes: Buffer): void {
  const meanings = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', u: '\u0001' };
  for (const [letter, meaning] of Object.entries(meanings)) {
    bytes[ESCAPES_AT + letter.charCodeAt(0)] = meaning.charCodeAt(0);
  }
  for (let byte = 0; byte < 256; byte += 1) {
    const value = Number.parseInt(String.fromCharCode(byte), 16);
    bytes[HEX_AT + byte] = Number.isNaN(value) ? 0xff : value;
  }
}

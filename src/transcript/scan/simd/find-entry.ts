import { type Code, get, i32, loopWhile, returnValue, set, v128, type WasmFunction, when } from './emit.ts';

/**
 * Tables of texts in memory, each terminated by a length of 0. An entry holds the text and two numbers; it is compared
 * sixteen bytes at a time, so a text can have at most 32 bytes.
 */
export const ENTRY = {
  length: 0,
  /** For a key: the address for the start of its value; for a word: its number. */
  number: 4,
  /** For a key: the address of the table for the object that is its value; 0 to skip it. */
  child: 8,
  /** The first and last 16 bytes of the text, each with a mask of the significant bytes. */
  head: 16,
  headMask: 32,
  tail: 48,
  tailMask: 64,
  bytes: 80,
} as const;

const BLOCK_BYTES = 16;

/** The bytes of an entry. Throws RangeError for a text that is too long. */
export function entryOf(text: string, number: number, child: number): Buffer {
  const name = Buffer.from(text);
  if (name.length === 0 || name.length > 2 * BLOCK_BYTES) throw new RangeError(`a text of ${name.length} bytes`);
  const entry = Buffer.alloc(ENTRY.bytes);
  entry.writeInt32LE(name.length, ENTRY.length);
  entry.writeInt32LE(number, ENTRY.number);
  entry.writeInt32LE(child, ENTRY.child);
  const headBytes = Math.min(name.length, BLOCK_BYTES);
  name.copy(entry, ENTRY.head, 0, headBytes);
  entry.fill(0xff, ENTRY.headMask, ENTRY.headMask + headBytes);
  if (name.length <= BLOCK_BYTES) return entry;
  name.copy(entry, ENTRY.tail, name.length - BLOCK_BYTES);
  entry.fill(0xff, ENTRY.tailMask, ENTRY.tailMask + BLOCK_BYTES);
  return entry;
}

const TEXT = 0;
const LENGTH = 1;
const AT = 2;

const at = get(AT);
const entryLength = i32.load(at, ENTRY.length);
const nextEntry = set(AT, i32.add(at, i32.const(ENTRY.bytes)));
const differs = (offset: number, mask: number, address: Code): Code =>
  v128.and(v128.xor(v128.load(address), v128.load(at, offset)), v128.load(at, mask));
const isOther = v128.anyTrue(
  v128.or(
    differs(ENTRY.head, ENTRY.headMask, get(TEXT)),
    differs(ENTRY.tail, ENTRY.tailMask, i32.sub(i32.add(get(TEXT), get(LENGTH)), i32.const(BLOCK_BYTES))),
  ),
);

/** findEntry(text, length, table): the address of its entry; 0 if it is not in the table. */
export const findEntry: WasmFunction = {
  name: 'findEntry',
  i32Locals: 0,
  v128Locals: 0,
  code: [
    ...loopWhile(entryLength, [
      ...when(i32.eq(entryLength, get(LENGTH)), when(i32.eqz(isOther), returnValue(at))),
      ...nextEntry,
    ]),
    ...i32.const(0),
  ],
};

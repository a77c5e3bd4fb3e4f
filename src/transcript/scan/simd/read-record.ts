import {
  call,
  type Code,
  fill,
  get,
  giveBack,
  i32,
  loopWhile,
  repeatWhile,
  set,
  v128,
  type WasmFunction,
  when,
} from './emit.ts';

/**
 * readRecord(from, to): walks the JSON object at `from` and writes where the values of the keys it was told to look for
 * start and end, whatever the order of the keys. Gives the address behind the object, or 0 for anything unusual: no
 * object, a key with an escape, a wanted key twice, an end that is not there. Values it does not want are skipped, not
 * checked.
 *
 * What it looks for stands in memory as tables of keys, one table per kind of object, each ended by a length of 0:
 */
export const KEY_ENTRY = {
  length: 0,
  /** Address of the value's start; its end is stored 4 bytes behind. */
  slot: 4,
  /** Address of the table for the object that is the value; 0 to skip it. */
  child: 8,
  /** The first and last 16 bytes of the key, each with a mask of the bytes that count. */
  head: 16,
  headMask: 32,
  tail: 48,
  tailMask: 64,
  bytes: 80,
} as const;

/** Where things stand in memory. */
export interface ReadRecordLayout {
  readonly slotsAt: number;
  readonly slotsBytes: number;
  readonly stackAt: number;
  readonly rootTableAt: number;
  readonly skipStringIndex: number;
  readonly skipNestedIndex: number;
  readonly skipWordIndex: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;

const FROM = 0;
const TO = 1;
const AT = 2;
const BYTE = 3;
const TABLE = 4;
const STACK = 5;
const KEY = 6;
const LENGTH = 7;
const ENTRY = 8;
const SLOT = 9;
const CHILD = 10;
const QUOTES = 11;
const BLOCK = 12;

const at = get(AT);
const byte = get(BYTE);
const to = get(TO);
const takeByte = set(BYTE, i32.loadByte(at));
const forward = set(AT, i32.add(at, i32.const(1)));
const isByte = (value: number): Code => i32.eq(byte, i32.const(value));
const giveUp = giveBack(i32.const(0));
const giveUpUnlessByte = (value: number): Code => when(i32.ne(byte, i32.const(value)), giveUp);
const isBlankInside = i32.and(i32.le(byte, i32.const(SPACE)), i32.lt(at, to));
const entryLength = i32.load(get(ENTRY), KEY_ENTRY.length);

/** To the quote that ends the key; an escape ends the walk. */
const passKey: Code = [
  ...set(KEY, i32.add(at, i32.const(1))),
  ...set(AT, get(KEY)),
  ...repeatWhile(
    [
      ...set(BLOCK, v128.load(at)),
      ...set(
        QUOTES,
        v128.bitmask(
          v128.or(v128.equalBytes(get(BLOCK), v128.splat(QUOTE)), v128.equalBytes(get(BLOCK), v128.splat(BACKSLASH))),
        ),
      ),
      ...set(AT, i32.add(at, i32.const(16))),
    ],
    i32.and(i32.eqz(get(QUOTES)), i32.lt(at, to)),
  ),
  ...when(i32.eqz(get(QUOTES)), giveUp),
  ...set(AT, i32.add(i32.sub(at, i32.const(16)), i32.ctz(get(QUOTES)))),
  ...takeByte,
  ...giveUpUnlessByte(QUOTE),
  ...set(LENGTH, i32.sub(at, get(KEY))),
];

const passBlanks: Code = [...forward, ...takeByte, ...loopWhile(isBlankInside, [...forward, ...takeByte])];

const differs = (offset: number, mask: number, address: Code): Code =>
  v128.and(v128.xor(v128.load(address), v128.load(get(ENTRY), offset)), v128.load(get(ENTRY), mask));

const isOtherKey = v128.anyTrue(
  v128.or(
    differs(KEY_ENTRY.head, KEY_ENTRY.headMask, get(KEY)),
    differs(KEY_ENTRY.tail, KEY_ENTRY.tailMask, i32.sub(i32.add(get(KEY), get(LENGTH)), i32.const(16))),
  ),
);

/** Leaves ENTRY at the entry of the key, or at the end of the table, whose length is 0. */
const nextEntry = set(ENTRY, i32.add(get(ENTRY), i32.const(KEY_ENTRY.bytes)));
const findEntry: Code = [
  ...set(ENTRY, get(TABLE)),
  ...loopWhile(i32.and(i32.ne(entryLength, i32.const(0)), i32.ne(entryLength, get(LENGTH))), nextEntry),
  ...loopWhile(i32.and(i32.ne(entryLength, i32.const(0)), isOtherKey), [
    ...nextEntry,
    ...loopWhile(i32.and(i32.ne(entryLength, i32.const(0)), i32.ne(entryLength, get(LENGTH))), nextEntry),
  ]),
];

/** Notes a wanted value; SLOT is 0 for others. */
const noteValue: Code = [
  ...set(SLOT, i32.const(0)),
  ...when(entryLength, [
    ...set(SLOT, i32.load(get(ENTRY), KEY_ENTRY.slot)),
    ...when(i32.load(get(SLOT)), giveUp),
    ...i32.store(get(SLOT), at),
  ]),
];

const enterChild: Code = [
  ...i32.store(get(STACK), get(TABLE)),
  ...set(STACK, i32.add(get(STACK), i32.const(4))),
  ...set(TABLE, get(CHILD)),
  ...forward,
];

const findChild: Code = [
  ...set(CHILD, i32.const(0)),
  ...when(isByte(OPEN_BRACE), when(entryLength, set(CHILD, i32.load(get(ENTRY), KEY_ENTRY.child)))),
];

export function readRecord(layout: ReadRecordLayout): WasmFunction {
  const skipValue: Code = [
    ...when(
      isByte(QUOTE),
      set(AT, call(layout.skipStringIndex, i32.add(at, i32.const(1)), to)),
      when(
        i32.or(isByte(OPEN_BRACE), isByte(OPEN_BRACKET)),
        set(AT, call(layout.skipNestedIndex, at, to)),
        set(AT, call(layout.skipWordIndex, at, to)),
      ),
    ),
    ...when(i32.eqz(at), giveUp),
    ...when(get(SLOT), i32.store(get(SLOT), at, 4)),
  ];
  const member: Code = [
    ...giveUpUnlessByte(QUOTE),
    ...passKey,
    ...passBlanks,
    ...giveUpUnlessByte(COLON),
    ...passBlanks,
    ...findEntry,
    ...noteValue,
    ...findChild,
    ...when(get(CHILD), enterChild, skipValue),
  ];
  const leaveObject: Code = [
    ...forward,
    ...when(i32.eq(get(STACK), i32.const(layout.stackAt)), giveBack(at)),
    ...set(STACK, i32.sub(get(STACK), i32.const(4))),
    ...set(TABLE, i32.load(get(STACK))),
  ];
  return {
    name: 'readRecord',
    i32Locals: 10,
    v128Locals: 1,
    code: [
      ...fill(i32.const(layout.slotsAt), i32.const(0), i32.const(layout.slotsBytes)),
      ...set(AT, get(FROM)),
      ...takeByte,
      ...giveUpUnlessByte(OPEN_BRACE),
      ...forward,
      ...set(TABLE, i32.const(layout.rootTableAt)),
      ...set(STACK, i32.const(layout.stackAt)),
      ...loopWhile(i32.lt(at, to), [
        ...takeByte,
        ...loopWhile(i32.and(i32.or(isByte(COMMA), i32.le(byte, i32.const(SPACE))), i32.lt(at, to)), [
          ...forward,
          ...takeByte,
        ]),
        ...when(isByte(CLOSE_BRACE), leaveObject, member),
      ]),
      ...i32.const(0),
    ],
  };
}

import {
  type Code,
  call,
  fill,
  get,
  i32,
  loopWhile,
  repeatWhile,
  returnValue,
  set,
  v128,
  type WasmFunction,
  when,
} from './emit.ts';
import { ENTRY } from './find-entry.ts';

/**
 * readRecord(from, to): walks the JSON object at `from` and records the start and end of the values of the requested
 * keys, in any key order. Returns the address after the object, or 0 for anything unusual: not an object, a control
 * character such as the NUL bytes of a crash, an escaped key, a requested key that occurs twice, anything that
 * JSON.parse rejects. The requested keys are in tables of entries, one per kind of object.
 */

/** Memory addresses. */
interface ReadRecordLayout {
  readonly slotsAt: number;
  readonly slotsBytes: number;
  readonly stackAt: number;
  readonly rootTableAt: number;
  readonly skipStringIndex: number;
  readonly skipNestedIndex: number;
  readonly skipWordIndex: number;
  readonly findEntryIndex: number;
  readonly hasControlsIndex: number;
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
const AT = 3;
const BYTE = 4;
const TABLE = 5;
const STACK = 6;
const KEY = 7;
const LENGTH = 8;
const KEY_ENTRY = 9;
const SLOT = 10;
const CHILD = 11;
const QUOTES = 12;
const EXPECTED = 13;
const BLOCK = 14;

/** What may come next in an object. */
const NEXT = { keyOrEnd: 0, commaOrEnd: 1, key: 2 } as const;

const at = get(AT);
const byte = get(BYTE);
const to = get(TO);
const takeByte = set(BYTE, i32.loadByte(at));
const forward = set(AT, i32.add(at, i32.const(1)));
const isByte = (value: number): Code => i32.eq(byte, i32.const(value));
const giveUp = returnValue(i32.const(0));
const giveUpUnlessByte = (value: number): Code => when(i32.ne(byte, i32.const(value)), giveUp);
const isBlankInside = i32.and(i32.le(byte, i32.const(SPACE)), i32.lt(at, to));
const isWanted = get(KEY_ENTRY);
const expect = (what: number): Code => set(EXPECTED, i32.const(what));
const giveUpIf = (what: number): Code => when(i32.eq(get(EXPECTED), i32.const(what)), giveUp);
const giveUpUnless = (what: number): Code => when(i32.ne(get(EXPECTED), i32.const(what)), giveUp);

/** Advances to the quote that ends the key; an escape aborts the walk. */
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

/** Records a requested value; SLOT is 0 for others. */
const noteValue: Code = [
  ...set(SLOT, i32.const(0)),
  ...when(isWanted, [
    ...set(SLOT, i32.load(get(KEY_ENTRY), ENTRY.number)),
    ...when(i32.load(get(SLOT)), giveUp),
    ...i32.store(get(SLOT), at),
  ]),
];

const enterChild: Code = [
  ...i32.store(get(STACK), get(TABLE)),
  ...set(STACK, i32.add(get(STACK), i32.const(4))),
  ...set(TABLE, get(CHILD)),
  ...forward,
  ...expect(NEXT.keyOrEnd),
];

const findChild: Code = [
  ...set(CHILD, i32.const(0)),
  ...when(isByte(OPEN_BRACE), when(isWanted, set(CHILD, i32.load(get(KEY_ENTRY), ENTRY.child)))),
];

export function readRecord(layout: ReadRecordLayout): WasmFunction {
  const skipValue: Code = [
    ...when(
      isByte(QUOTE),
      set(AT, call(layout.skipStringIndex, i32.add(at, i32.const(1)), to, to)),
      when(
        i32.or(isByte(OPEN_BRACE), isByte(OPEN_BRACKET)),
        set(AT, call(layout.skipNestedIndex, at, to, to)),
        set(AT, call(layout.skipWordIndex, at, to, to)),
      ),
    ),
    ...when(i32.eqz(at), giveUp),
    ...when(get(SLOT), i32.store(get(SLOT), at, 4)),
    ...expect(NEXT.commaOrEnd),
  ];
  const member: Code = [
    ...giveUpIf(NEXT.commaOrEnd),
    ...giveUpUnlessByte(QUOTE),
    ...passKey,
    ...passBlanks,
    ...giveUpUnlessByte(COLON),
    ...passBlanks,
    ...set(KEY_ENTRY, call(layout.findEntryIndex, get(KEY), get(LENGTH), get(TABLE))),
    ...noteValue,
    ...findChild,
    ...when(get(CHILD), enterChild, skipValue),
  ];
  const passComma: Code = [...giveUpUnless(NEXT.commaOrEnd), ...expect(NEXT.key), ...forward];
  const leaveObject: Code = [
    ...giveUpIf(NEXT.key),
    ...expect(NEXT.commaOrEnd),
    ...forward,
    ...when(i32.eq(get(STACK), i32.const(layout.stackAt)), returnValue(at)),
    ...set(STACK, i32.sub(get(STACK), i32.const(4))),
    ...set(TABLE, i32.load(get(STACK))),
  ];
  return {
    name: 'readRecord',
    i32Locals: 11,
    v128Locals: 1,
    code: [
      ...fill(i32.const(layout.slotsAt), i32.const(0), i32.const(layout.slotsBytes)),
      ...set(AT, get(FROM)),
      ...takeByte,
      ...giveUpUnlessByte(OPEN_BRACE),
      ...when(call(layout.hasControlsIndex, at, to, to), giveUp),
      ...forward,
      ...set(TABLE, i32.const(layout.rootTableAt)),
      ...set(STACK, i32.const(layout.stackAt)),
      ...loopWhile(i32.lt(at, to), [
        ...takeByte,
        ...loopWhile(isBlankInside, [...forward, ...takeByte]),
        ...when(isByte(COMMA), passComma, when(isByte(CLOSE_BRACE), leaveObject, member)),
      ]),
      ...i32.const(0),
    ],
  };
}

import {
  call,
  type Code,
  copy,
  get,
  giveBack,
  i32,
  i64,
  loopWhile,
  set,
  type WasmFunction,
  when,
} from '../../wasm/emit.ts';
import { ENTRY } from '../../wasm/find-entry.ts';
import {
  FIRST_NUMBER_CHAR,
  MARK_ESCAPE,
  MASKS_AT,
  MAX_TEXTS,
  RESULT,
  RESULT_AT,
  TEXT_BYTES,
  TEXT_FLAGS,
  TEXTS_AT,
} from './layout.ts';
import { DEPTHS } from './rules.ts';
import { scanString } from './scan-string.ts';

/**
 * condense(from, to, out): walks a line and writes it to `out` without the long texts that the rules name. Everything
 * else stays as it is, so that JSON.parse judges the line as it would judge the whole. Gives 0 when the line is not fit
 * for it (a broken string, too many texts, a mark in the text), else 1 with what it made at RESULT_AT.
 */
export interface CondenseTables {
  readonly findEntryIndex: number;
  readonly skipLongStringIndex: number;
  readonly regionsAt: number;
  readonly keysAt: number;
  /** Bits of the rules that set aside. */
  readonly asideBits: number;
}

/** A shorter text is not worth the copy, or the call, that leaving it out costs. */
export const MIN_CUT_BYTES = 48;
export const MIN_ASIDE_BYTES = 192;

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
/** Brackets and braces differ in one bit only. */
const BRACE_BIT = 0x20;
const CUT_TEXT = 0x2d;
const MARK_BYTES = MARK_ESCAPE.length + 1;

const FROM = 0;
const TO = 1;
const OUT = 2;
const AT = 3;
const BYTE = 4;
const MASK = 5;
const ESCAPED = 6;
const HIGH = 7;
const MARKED = 8;
const DEPTH = 9;
const REGION = 10;
/** The last structural byte: a string behind a colon is a value of an object. */
const BEFORE = 11;
const TEXT = 12;
const LENGTH = 13;
const KEY = 14;
const KEY_LENGTH = 15;
const IS_PLAIN_KEY = 16;
/** From here to AT nothing has been written yet. */
const COPIED = 17;
const TEXTS = 18;
const KEPT_HIGH = 19;
const LEFT_HIGH = 20;
const HIT = 21;
const FIRST_OUT = 22;
const BLOCK = 23;

const at = get(AT);
const byte = get(BYTE);
const out = get(OUT);
const giveUp = giveBack(i32.const(0));
const isByte = (value: number): Code => i32.eq(byte, i32.const(value));
const kind = i32.and(byte, i32.const(0xff ^ BRACE_BIT));
const addTo = (local: number, value: Code): Code => set(local, i32.add(get(local), value));
const orInto = (local: number, value: Code): Code => set(local, i32.or(get(local), value));

const writeUpTo = (end: Code): Code => [
  ...copy(out, get(COPIED), i32.sub(end, get(COPIED))),
  ...addTo(OUT, i32.sub(end, get(COPIED))),
];

const textEntry = i32.add(i32.const(TEXTS_AT), i32.mul(get(TEXTS), i32.const(TEXT_BYTES)));
const textFlags = i32.or(
  i32.mul(get(ESCAPED), i32.const(TEXT_FLAGS.escaped)),
  i32.mul(i32.ne(get(HIGH), i32.const(0)), i32.const(TEXT_FLAGS.high)),
);

const setAside: Code = [
  ...when(i32.ge(get(TEXTS), i32.const(MAX_TEXTS)), giveUp),
  ...i32.store(textEntry, get(TEXT)),
  ...i32.store(textEntry, at, 4),
  ...i32.store(textEntry, textFlags, 8),
  ...i64.store(out, i64.const(Buffer.from(`${MARK_ESCAPE}00`).readBigInt64LE())),
  ...i32.storeByte(out, i32.add(get(TEXTS), i32.const(FIRST_NUMBER_CHAR)), MARK_ESCAPE.length),
  ...addTo(OUT, i32.const(MARK_BYTES)),
  ...addTo(TEXTS, i32.const(1)),
];

const cut: Code = [...i32.storeByte(out, i32.const(CUT_TEXT)), ...addTo(OUT, i32.const(1))];

/** AT is at the closing quote. */
const leaveOut = (asideBits: number): Code => [
  ...writeUpTo(get(TEXT)),
  ...set(COPIED, at),
  ...orInto(LEFT_HIGH, get(HIGH)),
  ...when(i32.and(get(HIT), i32.const(asideBits)), setAside, cut),
  ...set(HIGH, i32.const(0)),
];

/** The depth, or DEPTHS - 1 for what is deeper. */
const depthIndex: Code = [
  ...set(MASK, get(DEPTH)),
  ...when(i32.ge(get(DEPTH), i32.const(DEPTHS)), set(MASK, i32.const(DEPTHS - 1))),
];
const rulesHere = i32.load(
  i32.add(i32.shl(i32.add(i32.mul(get(REGION), i32.const(DEPTHS)), get(MASK)), i32.const(2)), i32.const(MASKS_AT)),
);

const findKey = (findEntryIndex: number, tableAt: number): Code =>
  call(findEntryIndex, get(KEY), get(KEY_LENGTH), i32.const(tableAt));

/** A long value under a key without escapes: leaves it out when a rule of its place names its key. */
function judgeLong({ findEntryIndex, keysAt, asideBits }: CondenseTables): Code {
  const isWorthIt = i32.or(
    i32.eqz(i32.and(get(HIT), i32.const(asideBits))),
    i32.ge(get(LENGTH), i32.const(MIN_ASIDE_BYTES)),
  );
  const judgeKey: Code = [
    ...set(HIT, i32.and(get(HIT), i32.load(get(MASK), ENTRY.number))),
    ...when(i32.and(i32.ne(get(HIT), i32.const(0)), isWorthIt), leaveOut(asideBits)),
  ];
  return [
    ...depthIndex,
    ...set(HIT, rulesHere),
    ...when(get(HIT), [...set(MASK, findKey(findEntryIndex, keysAt)), ...when(get(MASK), judgeKey)]),
  ];
}

function takeString(tables: CondenseTables): Code {
  const { skipLongStringIndex } = tables;
  const locals = { at: AT, to: TO, mask: MASK, escaped: ESCAPED, high: HIGH, marked: MARKED, block: BLOCK };
  const takeValue: Code = [
    ...set(BEFORE, i32.const(0)),
    ...when(i32.and(i32.ge(get(LENGTH), i32.const(MIN_CUT_BYTES)), get(IS_PLAIN_KEY)), judgeLong(tables)),
  ];
  const takeKey: Code = [
    ...set(KEY, get(TEXT)),
    ...set(KEY_LENGTH, get(LENGTH)),
    ...set(IS_PLAIN_KEY, i32.eqz(get(ESCAPED))),
  ];
  return [
    ...addTo(AT, i32.const(1)),
    ...set(TEXT, at),
    ...scanString({ ...locals, skipLongStringIndex }),
    ...set(LENGTH, i32.sub(at, get(TEXT))),
    ...when(i32.eq(get(BEFORE), i32.const(COLON)), takeValue, takeKey),
    ...orInto(KEPT_HIGH, get(HIGH)),
    ...addTo(AT, i32.const(1)),
  ];
}

/** The key of the line's object that stands before the colon at AT: what is below it are texts of its region. */
function enterRegion({ findEntryIndex, regionsAt }: CondenseTables): Code {
  return [
    ...set(REGION, i32.const(0)),
    ...when(get(IS_PLAIN_KEY), [
      ...set(MASK, findKey(findEntryIndex, regionsAt)),
      ...when(get(MASK), set(REGION, i32.load(get(MASK), ENTRY.number))),
    ]),
  ];
}

function takeStructure(tables: CondenseTables): Code {
  const note = set(BEFORE, byte);
  const open: Code = [...note, ...addTo(DEPTH, i32.const(1))];
  const close: Code = [...addTo(DEPTH, i32.const(-1)), ...when(i32.lt(get(DEPTH), i32.const(0)), giveUp)];
  const colon: Code = [...note, ...when(i32.eq(get(DEPTH), i32.const(1)), enterRegion(tables))];
  const bracket = when(i32.eq(kind, i32.const(OPEN)), open, when(i32.eq(kind, i32.const(CLOSE)), close));
  return [...addTo(AT, i32.const(1)), ...when(isByte(COLON), colon, when(isByte(COMMA), note, bracket))];
}

const giveResult = (start: Code, end: Code): Code => [
  ...i32.store(i32.const(RESULT_AT), start, RESULT.start),
  ...i32.store(i32.const(RESULT_AT), end, RESULT.end),
];

export function condenseLine(tables: CondenseTables): WasmFunction {
  const isNothingLeftOut = i32.eq(get(COPIED), get(FROM));
  return {
    name: 'condense',
    i32Locals: 20,
    v128Locals: 1,
    code: [
      ...set(AT, get(FROM)),
      ...set(COPIED, get(FROM)),
      ...set(FIRST_OUT, out),
      ...loopWhile(i32.lt(at, get(TO)), [
        ...set(BYTE, i32.loadByte(at)),
        ...when(isByte(QUOTE), takeString(tables), takeStructure(tables)),
      ]),
      ...when(i32.and(get(MARKED), i32.ne(get(TEXTS), i32.const(0))), giveUp),
      ...when(isNothingLeftOut, giveResult(get(FROM), get(TO)), [
        ...writeUpTo(get(TO)),
        ...giveResult(get(FIRST_OUT), out),
      ]),
      ...i32.store(i32.const(RESULT_AT), get(TEXTS), RESULT.texts),
      ...i32.store(i32.const(RESULT_AT), get(KEPT_HIGH), RESULT.isKeptHigh),
      ...i32.store(i32.const(RESULT_AT), i32.or(get(KEPT_HIGH), get(LEFT_HIGH)), RESULT.isAnyHigh),
      ...i32.const(1),
    ],
  };
}

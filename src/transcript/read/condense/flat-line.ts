import {
  call,
  type Code,
  copy,
  get,
  giveBack,
  i32,
  i64,
  loopWhile,
  repeatWhile,
  set,
  type WasmFunction,
  when,
} from '../../wasm/emit.ts';
import { ENTRY } from '../../wasm/find-entry.ts';
import { FLAT_LINE_TYPE, FLAT_SLOTS, FLAT_TYPES } from './flat-keys.ts';
import { KEPT_BYTES, SLOT, SLOT_BYTES, SLOTS_AT } from './layout.ts';
import { scanString } from './scan-string.ts';

/**
 * readFlat(from, to): reads a line whose keys are all in the tables and whose values are of the types given there, with
 * no blanks and no more than one object inside. Gives a bit for each kind of data whose keys it has, -1 when they are of
 * every kind; 0 when the line is anything else. Where values stand and whether they are those of the last line that had
 * one is noted in the slots.
 */
export interface FlatTables {
  readonly findEntryIndex: number;
  readonly skipLongStringIndex: number;
  readonly lineKeysAt: number;
  readonly dataKeysAt: number;
}

/** What the numbers of an entry mean here. */
export const FLAT_ENTRY = { slot: ENTRY.number, types: ENTRY.child, kinds: 12 } as const;

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const TYPE_WORD = Buffer.from(FLAT_LINE_TYPE).readBigInt64LE();

const FROM = 0;
const TO = 1;
const AT = 3;
const BYTE = 4;
const MASK = 5;
const ESCAPED = 6;
const HIGH = 7;
const MARKED = 8;
const TEXT = 9;
const LENGTH = 10;
const TABLE = 11;
const KEY_ENTRY = 12;
const SLOT_AT = 13;
const TYPE = 14;
const KINDS = 15;
const STEP = 16;
const IS_INSIDE = 17;
const ANY_HIGH = 18;
const BLOCK = 19;
const DIFFERENCE = 20;

const at = get(AT);
const giveUp = giveBack(i32.const(0));
const forward = (count: number): Code => set(AT, i32.add(at, i32.const(count)));
const takeByte = set(BYTE, i32.loadByte(at));
const isByte = (value: number): Code => i32.eq(get(BYTE), i32.const(value));
const isDigit = i32.below(i32.sub(get(BYTE), i32.const(ZERO)), i32.const(10));
const giveUpUnless = (condition: Code): Code => when(i32.eqz(condition), giveUp);

const passWord = (word: string, type: number): Code => [
  ...giveUpUnless(i32.eq(i32.load(at, word.length - 4), i32.const(Buffer.from(word).readInt32LE(word.length - 4)))),
  ...forward(word.length),
  ...set(TYPE, i32.const(type)),
];

const passDigits: Code = [...giveUpUnless(isDigit), ...loopWhile(isDigit, [...forward(1), ...takeByte])];
/** A number as clients write it: digits, and perhaps a fraction. */
const passNumber: Code = [
  ...set(MASK, at),
  ...passDigits,
  // 01 is no number.
  ...when(
    i32.and(i32.eq(i32.loadByte(get(MASK)), i32.const(ZERO)), i32.gt(i32.sub(at, get(MASK)), i32.const(1))),
    giveUp,
  ),
  ...when(isByte(DOT), [...forward(1), ...takeByte, ...passDigits]),
  ...set(TYPE, i32.const(FLAT_TYPES.number)),
];

const lastBytesOnly = i64.shl(
  get(DIFFERENCE),
  i64.extend(i32.shl(i32.sub(i32.const(8), i32.sub(get(LENGTH), get(STEP))), i32.const(3))),
);
/** Leaves 1 in MASK when the text is the one kept in the slot. */
const compareKept: Code = [
  ...set(MASK, i32.eq(get(LENGTH), i32.load(get(SLOT_AT), SLOT.keptLength))),
  ...set(STEP, i32.const(0)),
  ...loopWhile(i32.and(get(MASK), i32.lt(get(STEP), get(LENGTH))), [
    ...set(
      DIFFERENCE,
      i64.xor(i64.load(i32.add(get(TEXT), get(STEP))), i64.load(i32.add(get(SLOT_AT), get(STEP)), SLOT.kept)),
    ),
    ...when(i32.lt(i32.sub(get(LENGTH), get(STEP)), i32.const(8)), set(DIFFERENCE, lastBytesOnly)),
    ...set(MASK, i64.eq(get(DIFFERENCE), i64.const(0n))),
    ...set(STEP, i32.add(get(STEP), i32.const(8))),
  ]),
];
const keep: Code = [
  ...i32.store(get(SLOT_AT), get(LENGTH), SLOT.keptLength),
  ...copy(i32.add(get(SLOT_AT), i32.const(SLOT.kept)), get(TEXT), get(LENGTH)),
];
const settleText: Code = [
  ...set(TEXT, i32.load(get(SLOT_AT), SLOT.start)),
  ...set(LENGTH, i32.sub(i32.load(get(SLOT_AT), SLOT.end), get(TEXT))),
  ...compareKept,
  ...i32.store(get(SLOT_AT), get(MASK), SLOT.isSame),
  ...when(i32.eqz(get(MASK)), keep),
];
/** Only now that the line is known to be flat: a line that is given up leaves the kept texts as they were. */
const settleTexts: Code = [
  ...set(SLOT_AT, i32.const(SLOTS_AT)),
  ...repeatWhile(
    [
      ...when(
        i32.and(
          i32.ne(i32.load(get(SLOT_AT), SLOT.start), i32.const(0)),
          i32.eq(i32.load(get(SLOT_AT), SLOT.type), i32.const(FLAT_TYPES.text)),
        ),
        settleText,
      ),
      ...set(SLOT_AT, i32.add(get(SLOT_AT), i32.const(SLOT_BYTES))),
    ],
    i32.lt(get(SLOT_AT), i32.const(SLOTS_AT + SLOT_BYTES * FLAT_SLOTS.length)),
  ),
];

/** Texts that are read are short and plain. */
const checkText = when(i32.or(i32.or(get(ESCAPED), get(HIGH)), i32.gt(get(LENGTH), i32.const(KEPT_BYTES))), giveUp);

/** A wanted value that starts at TEXT. */
const noteValue: Code = [
  ...when(i32.load(get(SLOT_AT), SLOT.start), giveUp),
  ...when(i32.eq(get(TYPE), i32.const(FLAT_TYPES.text)), checkText),
  ...i32.store(get(SLOT_AT), get(TEXT), SLOT.start),
  ...i32.store(get(SLOT_AT), i32.add(get(TEXT), get(LENGTH)), SLOT.end),
  ...i32.store(get(SLOT_AT), get(TYPE), SLOT.type),
];

/** The line's own type comes first or soon: other lines are left at once. */
const typeSlot = SLOTS_AT + SLOT_BYTES * FLAT_SLOTS.indexOf('type');
const checkType = when(
  i32.eq(get(SLOT_AT), i32.const(typeSlot)),
  giveUpUnless(
    i32.and(i32.eq(get(LENGTH), i32.const(FLAT_LINE_TYPE.length)), i64.eq(i64.load(get(TEXT)), i64.const(TYPE_WORD))),
  ),
);

const passString = (tables: FlatTables): Code => [
  ...forward(1),
  ...set(TEXT, at),
  ...scanString({ at: AT, to: TO, mask: MASK, escaped: ESCAPED, high: HIGH, marked: MARKED, block: BLOCK, ...tables }),
  ...set(LENGTH, i32.sub(at, get(TEXT))),
  ...set(ANY_HIGH, i32.or(get(ANY_HIGH), get(HIGH))),
  ...forward(1),
];

const takeKey = (tables: FlatTables): Code => [
  ...takeByte,
  ...giveUpUnless(isByte(QUOTE)),
  ...passString(tables),
  ...set(KEY_ENTRY, call(tables.findEntryIndex, get(TEXT), get(LENGTH), get(TABLE))),
  ...giveUpUnless(get(KEY_ENTRY)),
  ...takeByte,
  ...giveUpUnless(isByte(COLON)),
  ...forward(1),
  ...takeByte,
  ...set(SLOT_AT, i32.load(get(KEY_ENTRY), FLAT_ENTRY.slot)),
  ...set(KINDS, i32.and(get(KINDS), i32.load(get(KEY_ENTRY), FLAT_ENTRY.kinds))),
];

const takePlainValue = (tables: FlatTables): Code =>
  when(
    isByte(QUOTE),
    [...passString(tables), ...set(TYPE, i32.const(FLAT_TYPES.text)), ...checkType],
    [
      ...set(TEXT, at),
      ...when(
        isByte(0x74),
        passWord('true', FLAT_TYPES.flag),
        when(
          isByte(0x66),
          passWord('false', FLAT_TYPES.flag),
          when(isByte(0x6e), passWord('null', FLAT_TYPES.null), passNumber),
        ),
      ),
      ...set(LENGTH, i32.sub(at, get(TEXT))),
    ],
  );

const enterData = ({ dataKeysAt }: FlatTables): Code => [
  ...set(TEXT, at),
  ...set(LENGTH, i32.const(0)),
  ...set(TYPE, i32.const(FLAT_TYPES.object)),
  ...set(TABLE, i32.const(dataKeysAt)),
  ...set(IS_INSIDE, i32.const(1)),
  ...forward(1),
];

const takeValue = (tables: FlatTables): Code => [
  ...when(isByte(OPEN), [...when(get(IS_INSIDE), giveUp), ...enterData(tables)], takePlainValue(tables)),
  ...giveUpUnless(i32.and(get(TYPE), i32.load(get(KEY_ENTRY), FLAT_ENTRY.types))),
  ...when(get(SLOT_AT), noteValue),
];

/** Behind a value: a comma and the next key, or the end of the object and perhaps of the line. */
const takeEnd = ({ lineKeysAt }: FlatTables): Code => [
  ...takeByte,
  ...forward(1),
  ...when(i32.and(isByte(CLOSE), get(IS_INSIDE)), [
    ...set(IS_INSIDE, i32.const(0)),
    ...set(TABLE, i32.const(lineKeysAt)),
    ...takeByte,
    ...forward(1),
  ]),
  ...when(isByte(CLOSE), [
    ...giveUpUnless(i32.and(i32.eq(at, get(TO)), i32.ne(get(KINDS), i32.const(0)))),
    ...i32.store(i32.const(SLOTS_AT), get(ANY_HIGH), SLOT.isAnyHigh),
    ...settleTexts,
    ...giveBack(get(KINDS)),
  ]),
  ...giveUpUnless(isByte(COMMA)),
];

export function readFlat(tables: FlatTables): WasmFunction {
  const clear = FLAT_SLOTS.flatMap((_, slot) =>
    i32.store(i32.const(SLOTS_AT + slot * SLOT_BYTES), i32.const(0), SLOT.start),
  );
  return {
    name: 'readFlat',
    i32Locals: 16,
    v128Locals: 1,
    i64Locals: 1,
    code: [
      ...clear,
      ...set(AT, get(FROM)),
      ...takeByte,
      ...giveUpUnless(isByte(OPEN)),
      ...forward(1),
      ...set(TABLE, i32.const(tables.lineKeysAt)),
      ...set(KINDS, i32.const(-1)),
      ...loopWhile(i32.lt(at, get(TO)), [
        ...takeKey(tables),
        ...takeValue(tables),
        ...when(i32.eqz(i32.and(get(IS_INSIDE), i32.eq(get(TYPE), i32.const(FLAT_TYPES.object)))), takeEnd(tables)),
      ]),
      ...i32.const(0),
    ],
  };
}

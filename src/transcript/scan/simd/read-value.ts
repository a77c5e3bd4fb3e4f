import { HASH_FACTOR, HASH_START } from '../line-engine.ts';
import { type Code, call, get, i32, repeatWhile, returnValue, set, v128, type WasmFunction, when } from './emit.ts';

/** Routines that decode a JSON value. Each returns -1 for a value that is not written in the usual form. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DASH = 0x2d;
const COLON = 0x3a;
const POINT = 0x2e;
const ZERO = 0x30;
const LOWER_N = 0x6e;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const BLOCK_BYTES = 16;
/** Any number with this many digits fits into 32 bits. */
const MAX_DIGITS = 9;

const AT = 0;
const END = 1;
const at = get(AT);
const end = get(END);
const minusOne = i32.const(-1);

const COUNT = 3;
const DIGIT = 4;

/** readCount(at, end): an integer of up to nine digits; 0 for null. */
export const readCount: WasmFunction = {
  name: 'readCount',
  i32Locals: 2,
  v128Locals: 0,
  code: [
    ...when(i32.eq(i32.loadByte(at), i32.const(LOWER_N)), returnValue(i32.const(0))),
    ...when(i32.gt(i32.sub(end, at), i32.const(MAX_DIGITS)), returnValue(minusOne)),
    ...repeatWhile(
      [
        ...set(DIGIT, i32.sub(i32.loadByte(at), i32.const(ZERO))),
        ...when(i32.below(i32.const(9), get(DIGIT)), returnValue(minusOne)),
        ...set(COUNT, i32.add(i32.mul(get(COUNT), i32.const(10)), get(DIGIT))),
        ...set(AT, i32.add(at, i32.const(1))),
      ],
      i32.lt(at, end),
    ),
    ...get(COUNT),
  ],
};

const BLOCK = 3;
const bitsLeft = i32.sub(i32.shl(i32.const(1), i32.sub(end, at)), i32.const(1));
/** The bits of the bytes before the end, in a block that may extend past it. */
const upToEnd = (mask: Code): Code => [
  ...mask,
  ...i32.const(-1),
  ...bitsLeft,
  ...i32.gt(i32.sub(end, at), i32.const(BLOCK_BYTES - 1)),
  // select
  0x1b,
  0x71,
];

/** isPlain(at, end): 1 if the content of a string is ASCII without escapes. */
export const isPlain: WasmFunction = {
  name: 'isPlain',
  i32Locals: 0,
  v128Locals: 1,
  code: [
    ...repeatWhile(
      [
        ...set(BLOCK, v128.load(at)),
        ...when(
          upToEnd(v128.bitmask(v128.or(get(BLOCK), v128.equalBytes(get(BLOCK), v128.splat(BACKSLASH))))),
          returnValue(i32.const(0)),
        ),
        ...set(AT, i32.add(at, i32.const(BLOCK_BYTES))),
      ],
      i32.lt(at, end),
    ),
    ...i32.const(1),
  ],
};

/** hasControls(at, end): 1 if there is a control character, which JSON text has only between values if at all. */
export const hasControls: WasmFunction = {
  name: 'hasControls',
  i32Locals: 0,
  v128Locals: 1,
  code: [
    ...repeatWhile(
      [
        ...set(BLOCK, v128.belowBytes(v128.load(at), v128.splat(SPACE))),
        ...when(v128.anyTrue(get(BLOCK)), when(upToEnd(v128.bitmask(get(BLOCK))), returnValue(i32.const(1)))),
        ...set(AT, i32.add(at, i32.const(BLOCK_BYTES))),
      ],
      i32.lt(at, end),
    ),
    ...i32.const(0),
  ],
};

const OTHER = 2;

/** isSame(at, end, other): 1 if the bytes at `other` are equal. */
export const isSame: WasmFunction = {
  name: 'isSame',
  i32Locals: 0,
  v128Locals: 1,
  code: [
    ...repeatWhile(
      [
        ...set(BLOCK, v128.equalBytes(v128.load(at), v128.load(get(OTHER)))),
        ...when(upToEnd(i32.xor(v128.bitmask(get(BLOCK)), i32.const(0xffff))), returnValue(i32.const(0))),
        ...set(AT, i32.add(at, i32.const(BLOCK_BYTES))),
        ...set(OTHER, i32.add(get(OTHER), i32.const(BLOCK_BYTES))),
      ],
      i32.lt(at, end),
    ),
    ...i32.const(1),
  ],
};

const HASH = 3;

/** hash(at, end) */
export const hash: WasmFunction = {
  name: 'hash',
  i32Locals: 1,
  v128Locals: 0,
  code: [
    ...set(HASH, i32.const(HASH_START | 0)),
    ...repeatWhile(
      [
        ...set(HASH, i32.mul(i32.xor(get(HASH), i32.loadByte(at)), i32.const(HASH_FACTOR))),
        ...set(AT, i32.add(at, i32.const(1))),
      ],
      i32.lt(at, end),
    ),
    ...get(HASH),
  ],
};

/** twoDigits(at): their value. */
export const twoDigits: WasmFunction = {
  name: 'twoDigits',
  i32Locals: 2,
  v128Locals: 0,
  code: [
    ...set(COUNT, i32.sub(i32.loadByte(at), i32.const(ZERO))),
    ...set(DIGIT, i32.sub(i32.loadByte(at, 1), i32.const(ZERO))),
    ...when(i32.below(i32.const(9), get(COUNT)), returnValue(minusOne)),
    ...when(i32.below(i32.const(9), get(DIGIT)), returnValue(minusOne)),
    ...i32.add(i32.mul(get(COUNT), i32.const(10)), get(DIGIT)),
  ],
};

const YEAR = 3;
const MONTH = 4;
const DAY = 5;
const PART = 6;
const MILLIS = 7;
const FORM = '"2026-01-21T20:53:24.199Z"';
const MILLIS_TARGET = 2;

/**
 * readTime(at, end, target): days since 1970 of a time in the form the client writes; the milliseconds of that day go
 * to `target`. Months count from March, so that the leap day is the last of its year.
 */
export function readTime(twoDigitsIndex: number): WasmFunction {
  const isOther = (place: number, byte: number): Code => i32.ne(i32.loadByte(at, place), i32.const(byte));
  const marks: readonly (readonly [number, number])[] = [
    [0, QUOTE],
    [5, DASH],
    [8, DASH],
    [11, LETTER_T],
    [14, COLON],
    [17, COLON],
    [20, POINT],
    [24, LETTER_Z],
  ];
  const two = (place: number): Code => call(twoDigitsIndex, i32.add(at, i32.const(place)), end, end);
  /** Unsigned, so that a negative number is above any limit. */
  const giveUpAbove = (most: number, value: Code): Code =>
    when(i32.below(i32.const(most), value), returnValue(minusOne));
  const addPart = (place: number, unitMs: number, most: number): Code => [
    ...set(PART, two(place)),
    ...giveUpAbove(most, get(PART)),
    ...set(MILLIS, i32.add(get(MILLIS), i32.mul(get(PART), i32.const(unitMs)))),
  ];
  const yearDiv = (by: number): Code => i32.div(get(YEAR), i32.const(by));
  return {
    name: 'readTime',
    i32Locals: 5,
    v128Locals: 0,
    code: [
      ...when(i32.ne(i32.sub(end, at), i32.const(FORM.length)), returnValue(minusOne)),
      ...marks.flatMap(([place, byte]) => when(isOther(place, byte), returnValue(minusOne))),
      ...set(PART, two(1)),
      ...set(YEAR, two(3)),
      ...set(MONTH, two(6)),
      ...set(DAY, two(9)),
      ...[PART, YEAR].flatMap((local) => giveUpAbove(99, get(local))),
      ...giveUpAbove(11, i32.sub(get(MONTH), i32.const(1))),
      ...giveUpAbove(30, i32.sub(get(DAY), i32.const(1))),
      ...set(YEAR, i32.add(get(YEAR), i32.mul(get(PART), i32.const(100)))),
      ...addPart(12, 3_600_000, 23),
      ...addPart(15, 60_000, 59),
      ...addPart(18, 1_000, 59),
      ...addPart(21, 10, 99),
      ...set(PART, i32.sub(i32.loadByte(at, 23), i32.const(ZERO))),
      ...when(i32.below(i32.const(9), get(PART)), returnValue(minusOne)),
      ...i32.store(get(MILLIS_TARGET), i32.add(get(MILLIS), get(PART))),
      ...when(i32.gt(get(MONTH), i32.const(2)), set(MONTH, i32.sub(get(MONTH), i32.const(3))), [
        ...set(MONTH, i32.add(get(MONTH), i32.const(9))),
        ...set(YEAR, i32.sub(get(YEAR), i32.const(1))),
      ]),
      ...i32.add(
        i32.add(
          i32.add(i32.mul(get(YEAR), i32.const(365)), i32.sub(yearDiv(4), i32.sub(yearDiv(100), yearDiv(400)))),
          i32.div(i32.add(i32.mul(get(MONTH), i32.const(153)), i32.const(2)), i32.const(5)),
        ),
        i32.sub(get(DAY), i32.const(719_469)),
      ),
    ],
  };
}

import { NEEDLE } from '../line-engine.ts';
import { type Code, get, i32, repeatWhile, returnValue, set, v128, type WasmFunction, when } from './emit.ts';

/**
 * findLine(from, to): finds the next line between two addresses that contains the needle. Returns 1 and writes
 * the start and end of the line (its newline, or `to`) to LINE_START_AT and LINE_END_AT; returns 0 if there is none.
 * `from` is the start of a line. Reads up to READ_AHEAD_BYTES beyond `to`.
 */
export const LINE_START_AT = 0;
export const LINE_END_AT = 4;

const BLOCK_BYTES = 16;
const NEWLINE = 0x0a;
/**
 * Besides the first byte, these two bytes of the needle are compared at sixteen positions at once; together they are
 * rare.
 */
const MIDDLE = NEEDLE.indexOf('g');
const LAST = NEEDLE.length - 1;

/** Two parameters and an unused one, then locals. */
const FROM = 0;
const TO = 1;
const AT = 3;
const LINE_START = 4;
const NEWLINES = 5;
const PLACES = 6;
const HIT = 7;
const BLOCK = 8;
const FOUND = 9;

const at = get(AT);
const lowestPlace = i32.ctz(get(PLACES));

/** Four bytes at the start and four at the end. */
const isNeedleAtHit = i32.and(
  i32.eq(i32.load(get(HIT)), i32.const(NEEDLE.readInt32LE(0))),
  i32.eq(i32.load(get(HIT), NEEDLE.length - 4), i32.const(NEEDLE.readInt32LE(NEEDLE.length - 4))),
);

/** Moves LINE_START past the last newline whose bit is set in NEWLINES. */
const noteNewlines = when(get(NEWLINES), set(LINE_START, i32.sub(i32.add(at, i32.const(32)), i32.clz(get(NEWLINES)))));

const keepNewlinesBeforeHit = set(
  NEWLINES,
  i32.and(get(NEWLINES), i32.sub(i32.shl(i32.const(1), lowestPlace), i32.const(1))),
);

const nextBlock = set(AT, i32.add(at, i32.const(BLOCK_BYTES)));
const newlinesOfBlock = v128.bitmask(v128.equalBytes(get(BLOCK), v128.splat(NEWLINE)));

/** From the hit onwards: leaves the address of the next newline, or `to`, in AT. */
const goToLineEnd: Code = [
  ...set(AT, get(HIT)),
  ...repeatWhile(
    [...set(BLOCK, v128.load(at)), ...set(NEWLINES, newlinesOfBlock), ...when(i32.eqz(get(NEWLINES)), nextBlock)],
    i32.and(i32.eqz(get(NEWLINES)), i32.lt(at, get(TO))),
  ),
  ...when(get(NEWLINES), set(AT, i32.add(at, i32.ctz(get(NEWLINES))))),
  ...when(i32.gt(at, get(TO)), set(AT, get(TO))),
];

const giveLine: Code = [
  ...when(i32.gt(i32.add(get(HIT), i32.const(NEEDLE.length)), get(TO)), returnValue(i32.const(0))),
  ...keepNewlinesBeforeHit,
  ...noteNewlines,
  ...goToLineEnd,
  ...i32.store(i32.const(LINE_START_AT), get(LINE_START)),
  ...i32.store(i32.const(LINE_END_AT), at),
  ...returnValue(i32.const(1)),
];

const tryPlaces: Code = [
  ...set(PLACES, v128.bitmask(get(FOUND))),
  ...repeatWhile(
    [
      ...set(HIT, i32.add(at, lowestPlace)),
      ...when(isNeedleAtHit, giveLine),
      // Clears the lowest bit.
      ...set(PLACES, i32.and(get(PLACES), i32.sub(get(PLACES), i32.const(1)))),
    ],
    get(PLACES),
  ),
];

const possiblePlaces = v128.and(
  v128.and(
    v128.equalBytes(get(BLOCK), v128.splat(NEEDLE[0] as number)),
    v128.equalBytes(v128.load(at, MIDDLE), v128.splat(NEEDLE[MIDDLE] as number)),
  ),
  v128.equalBytes(v128.load(at, LAST), v128.splat(NEEDLE[LAST] as number)),
);

export const findLine: WasmFunction = {
  name: 'findLine',
  i32Locals: 5,
  v128Locals: 2,
  code: [
    ...set(AT, get(FROM)),
    ...set(LINE_START, get(FROM)),
    ...repeatWhile(
      [
        ...set(BLOCK, v128.load(at)),
        ...set(NEWLINES, newlinesOfBlock),
        ...set(FOUND, possiblePlaces),
        ...when(v128.anyTrue(get(FOUND)), tryPlaces),
        ...noteNewlines,
        ...nextBlock,
      ],
      i32.lt(at, get(TO)),
    ),
    ...i32.const(0),
  ],
};

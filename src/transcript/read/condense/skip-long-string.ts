import {
  type Code,
  get,
  giveBack,
  i32,
  i64,
  loopWhile,
  repeatWhile,
  set,
  v128,
  type WasmFunction,
  when,
} from '../../wasm/emit.ts';
import { HEX_AT, LONG_AT, LONG, MARK_ESCAPE } from './layout.ts';

/**
 * skipLongString(at, to): from inside a string, not behind a backslash, to the quote that ends it; 0 when it does not end
 * or JSON.parse would refuse it. What was seen on the way stands at LONG_AT. Takes 64 bytes at a time and asks nothing of
 * single escapes, which stand everywhere in the output of programs.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LETTER_U = 0x75;
const MARK_DIGITS = Buffer.from(MARK_ESCAPE).readInt32LE(2);
const BLOCK_BYTES = 64;
const ODD_BITS = i64.const(-0x5555555555555556n);

/** The letters of escapes by their lower four bits, a bit for each of the upper ones that go with them. */
const ESCAPE_LETTERS = [...Buffer.from('"/\\bfnrtu')];
const UPPER = [...new Set(ESCAPE_LETTERS.map((letter) => letter >> 4))];
const LOWER_TABLE = Array.from({ length: 16 }, (_, low) =>
  UPPER.reduce((bits, upper, index) => bits | (ESCAPE_LETTERS.includes((upper << 4) | low) ? 1 << index : 0), 0),
);
const UPPER_TABLE = Array.from({ length: 16 }, (_, upper) => (UPPER.includes(upper) ? 1 << UPPER.indexOf(upper) : 0));

const AT = 0;
const TO = 1;
const PLACE = 3;
const BLOCKS = [4, 5, 6, 7];
const HIGH = 8;
const QUOTES = 9;
const BACKSLASHES = 10;
const SPACES = 11;
const SLASHED = 12;
const CARRY = 13;
const CODES = 14;
const ESCAPED = 15;
const STOPS = 16;
const BEFORE_STOP = 17;
const ANY_ESCAPED = 18;

const at = get(AT);
const giveUp = giveBack(i32.const(0));
const forward = (count: Code): Code => set(AT, i32.add(at, count));

/** A bit for each of the 64 bytes. */
const bitsOf = (test: (block: Code) => Code): Code =>
  BLOCKS.map((block, index) =>
    i64.shl(i64.extend(v128.bitmask(test(get(block)))), i64.const(BigInt(16 * index))),
  ).reduce((all, part) => i64.or(all, part));

const isEqual = (local: number) => (block: Code) => v128.equalBytes(block, get(local));
const isNoEscapeLetter = (block: Code): Code =>
  v128.equalBytes(
    v128.and(
      v128.lookUp(v128.const(LOWER_TABLE), v128.and(block, v128.splat(0x0f))),
      v128.lookUp(v128.const(UPPER_TABLE), v128.shiftBytesRight(block, 4)),
    ),
    v128.splat(0),
  );

/** Which bytes stand behind a backslash that is not itself escaped: bits of each row of backslashes in turns. */
const findEscaped: Code = [
  ...set(CODES, i64.and(get(SLASHED), i64.xor(get(CARRY), i64.const(-1n)))),
  ...set(CODES, i64.xor(i64.sub(i64.or(i64.shl(get(CODES), i64.const(1n)), ODD_BITS), get(CODES)), ODD_BITS)),
  ...set(ESCAPED, i64.xor(get(CODES), i64.or(get(SLASHED), get(CARRY)))),
  ...set(CARRY, i64.shr(i64.and(get(CODES), get(SLASHED)), i64.const(63n))),
];

const findStops: Code = [
  ...set(
    STOPS,
    i64.or(
      i64.and(bitsOf(isEqual(QUOTES)), i64.xor(get(ESCAPED), i64.const(-1n))),
      bitsOf((block) => v128.smallerBytes(block, get(SPACES))),
    ),
  ),
  // All bits below the lowest; all there are when there is none.
  ...set(BEFORE_STOP, i64.sub(i64.and(get(STOPS), i64.sub(i64.const(0n), get(STOPS))), i64.const(1n))),
  ...set(ESCAPED, i64.and(get(ESCAPED), get(BEFORE_STOP))),
];

const letter = i32.add(at, get(PLACE));
const hexAt = (offset: number): Code => i32.loadByte(i32.add(i32.const(HEX_AT), i32.loadByte(letter, offset)));
const checkDigits: Code = [
  ...when(i32.gt(i32.or(i32.or(hexAt(1), hexAt(2)), i32.or(hexAt(3), hexAt(4))), i32.const(15)), giveUp),
  ...when(
    i32.eq(i32.load(letter, 1), i32.const(MARK_DIGITS)),
    i32.store(i32.const(LONG_AT), i32.const(1), LONG.isMarked),
  ),
];
const checkEscapes: Code = [
  ...set(ANY_ESCAPED, i64.or(get(ANY_ESCAPED), get(ESCAPED))),
  ...when(i64.ne(i64.and(get(ESCAPED), bitsOf(isNoEscapeLetter)), i64.const(0n)), giveUp),
  ...set(
    CODES,
    i64.and(
      get(ESCAPED),
      bitsOf((block) => v128.equalBytes(block, v128.splat(LETTER_U))),
    ),
  ),
  ...loopWhile(i64.ne(get(CODES), i64.const(0n)), [
    ...set(PLACE, i64.wrap(i64.ctz(get(CODES)))),
    ...checkDigits,
    ...set(CODES, i64.and(get(CODES), i64.sub(get(CODES), i64.const(1n)))),
  ]),
];

const noteHigh: Code = [
  ...set(
    CODES,
    i64.and(
      bitsOf((block) => block),
      get(BEFORE_STOP),
    ),
  ),
  ...i32.store(
    i32.const(LONG_AT),
    i32.or(i64.ne(get(CODES), i64.const(0n)), v128.anyTrue(v128.and(get(HIGH), v128.splat(0x80)))),
    LONG.isHigh,
  ),
];

const stop: Code = [
  ...noteHigh,
  ...i32.store(i32.const(LONG_AT), i64.ne(get(ANY_ESCAPED), i64.const(0n)), LONG.isEscaped),
  ...forward(i64.wrap(i64.ctz(get(STOPS)))),
  ...when(i32.ge(at, get(TO)), giveUp),
  ...when(i32.ne(i32.loadByte(at), i32.const(QUOTE)), giveUp),
  ...giveBack(at),
];

const noteBlocks: Code = set(
  HIGH,
  BLOCKS.map((block) => get(block)).reduce((all, block) => v128.or(all, block), get(HIGH)),
);

export const skipLongString: WasmFunction = {
  name: 'skipLongString',
  i32Locals: 1,
  v128Locals: 8,
  i64Locals: 7,
  code: [
    ...set(QUOTES, v128.splat(QUOTE)),
    ...set(BACKSLASHES, v128.splat(BACKSLASH)),
    ...set(SPACES, v128.splat(SPACE)),
    ...i32.store(i32.const(LONG_AT), i32.const(0), LONG.isMarked),
    ...repeatWhile(
      [
        ...BLOCKS.flatMap((block, index) => set(block, v128.load(at, 16 * index))),
        ...set(SLASHED, bitsOf(isEqual(BACKSLASHES))),
        ...findEscaped,
        ...findStops,
        ...when(i64.ne(get(ESCAPED), i64.const(0n)), checkEscapes),
        ...when(i64.ne(get(STOPS), i64.const(0n)), stop),
        ...noteBlocks,
        ...forward(i32.const(BLOCK_BYTES)),
      ],
      i32.lt(at, get(TO)),
    ),
    ...i32.const(0),
  ],
};

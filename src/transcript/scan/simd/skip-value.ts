import { type Code, call, get, i32, repeatWhile, returnValue, set, v128, type WasmFunction, when } from './emit.ts';

/**
 * Each of these returns the address after a piece of JSON, or 0 if it does not end before `to` or JSON.parse might reject
 * it: a line that the parser cannot read must not be counted. Control characters are excluded before.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const ZERO = 0x30;
const LOWER_U = 0x75;
/** Brackets and braces differ in a single bit. */
const BRACE_BIT = 0x20;
const OPEN = 0x5b;
const CLOSE = 0x5d;

const AT = 0;
const TO = 1;
const at = get(AT);
const to = get(TO);
const byteAt = i32.loadByte(at);
const forward = (count: number): Code => set(AT, i32.add(at, i32.const(count)));
const nothing = returnValue(i32.const(0));
const anyOf = (first: Code, ...others: readonly Code[]): Code => others.reduce(i32.or, first);

const MASK = 3;
const ESCAPED = 4;
const BLOCK = 5;

const isEscaped = (byte: number): Code => i32.eq(get(ESCAPED), i32.const(byte));
/** A bit for each of the letters that may follow a backslash: `\b`, `\f`, `\n`, `\r`, `\t`, `\u`. */
const ESCAPES = Buffer.from('bfnrtu').reduce((bits, letter) => bits | (1 << (letter & 31)), 0);
const isLowerLetter = i32.eq(i32.and(get(ESCAPED), i32.const(0xe0)), i32.const(0x60));
const isEscape = anyOf(
  i32.and(isLowerLetter, i32.ne(i32.and(i32.shl(i32.const(1), get(ESCAPED)), i32.const(ESCAPES)), i32.const(0))),
  isEscaped(QUOTE),
  isEscaped(BACKSLASH),
  isEscaped(SLASH),
);
const isHexAt = (offset: number): Code => {
  const byte = i32.loadByte(at, offset);
  const letter = i32.sub(i32.or(byte, i32.const(0x20)), i32.const(0x61));
  return i32.or(i32.below(i32.sub(byte, i32.const(ZERO)), i32.const(10)), i32.below(letter, i32.const(6)));
};
const isUnicode = [3, 4, 5].map(isHexAt).reduce(i32.and, isHexAt(2));

/** skipString(first byte after the opening quote, to) */
export const skipString: WasmFunction = {
  name: 'skipString',
  i32Locals: 2,
  v128Locals: 1,
  code: [
    ...repeatWhile(
      [
        ...set(BLOCK, v128.load(at)),
        ...set(
          MASK,
          v128.bitmask(
            v128.or(v128.equalBytes(get(BLOCK), v128.splat(QUOTE)), v128.equalBytes(get(BLOCK), v128.splat(BACKSLASH))),
          ),
        ),
        ...when(i32.eqz(get(MASK)), forward(16), [
          ...set(AT, i32.add(at, i32.ctz(get(MASK)))),
          ...when(i32.ge(at, to), nothing),
          ...when(i32.eq(byteAt, i32.const(QUOTE)), returnValue(i32.add(at, i32.const(1)))),
          ...set(ESCAPED, i32.loadByte(at, 1)),
          ...when(i32.eqz(isEscape), nothing),
          ...when(isEscaped(LOWER_U), when(i32.eqz(isUnicode), nothing)),
          ...forward(2),
        ]),
      ],
      i32.lt(at, to),
    ),
    ...i32.const(0),
  ],
};

/** What may come next in an array or object. */
const NEXT = { value: 1, key: 2, colon: 4, comma: 8, end: 16 } as const;
const AFTER_VALUE = NEXT.comma | NEXT.end;
/** The open brackets of a value are the bits of one number. */
const MAX_DEPTH = 31;

const OPENED = 3;
const BYTE = 4;
const EXPECTED = 5;
const DEPTH = 6;
const isByte = (byte: number): Code => i32.eq(get(BYTE), i32.const(byte));
const kind = i32.and(get(BYTE), i32.const(0xff ^ BRACE_BIT));
/** 1 for a brace, 0 for a bracket. */
const braceBit = i32.and(i32.shr(get(BYTE), i32.const(5)), i32.const(1));
const isInObject = i32.and(get(OPENED), i32.const(1));
const mayBe = (what: number): Code => i32.and(get(EXPECTED), i32.const(what));
const unlessMayBe = (what: number): Code => when(i32.eqz(mayBe(what)), nothing);
const expect = (what: number): Code => set(EXPECTED, i32.const(what));

const openOne: Code = [
  ...unlessMayBe(NEXT.value),
  ...when(i32.eq(get(DEPTH), i32.const(MAX_DEPTH)), nothing),
  ...set(OPENED, i32.or(i32.shl(get(OPENED), i32.const(1)), braceBit)),
  ...set(DEPTH, i32.add(get(DEPTH), i32.const(1))),
  ...when(isInObject, expect(NEXT.key | NEXT.end), expect(NEXT.value | NEXT.end)),
];
const closeOne: Code = [
  ...unlessMayBe(NEXT.end),
  ...when(i32.ne(isInObject, braceBit), nothing),
  ...set(OPENED, i32.shr(get(OPENED), i32.const(1))),
  ...set(DEPTH, i32.sub(get(DEPTH), i32.const(1))),
  ...when(i32.eqz(get(DEPTH)), returnValue(at)),
  ...expect(AFTER_VALUE),
];
const passComma: Code = [...unlessMayBe(NEXT.comma), ...when(isInObject, expect(NEXT.key), expect(NEXT.value))];
const passColon: Code = [...unlessMayBe(NEXT.colon), ...expect(NEXT.value)];

interface Skippers {
  readonly skipStringIndex: number;
  readonly skipWordIndex: number;
}

/** skipNested(opening brace or bracket, to) */
export function skipNested({ skipStringIndex, skipWordIndex }: Skippers): WasmFunction {
  const passString: Code = [
    ...set(AT, call(skipStringIndex, at, to, to)),
    ...when(i32.eqz(at), nothing),
    ...when(mayBe(NEXT.key), expect(NEXT.colon), [...unlessMayBe(NEXT.value), ...expect(AFTER_VALUE)]),
  ];
  const passWord: Code = [
    ...unlessMayBe(NEXT.value),
    ...set(AT, call(skipWordIndex, i32.sub(at, i32.const(1)), to, to)),
    ...when(i32.eqz(at), nothing),
    ...expect(AFTER_VALUE),
  ];
  const passOther = when(
    i32.eq(kind, i32.const(OPEN)),
    openOne,
    when(i32.eq(kind, i32.const(CLOSE)), closeOne, when(i32.ne(get(BYTE), i32.const(SPACE)), passWord)),
  );
  return {
    name: 'skipNested',
    i32Locals: 4,
    v128Locals: 0,
    code: [
      ...expect(NEXT.value),
      ...repeatWhile(
        [
          ...set(BYTE, byteAt),
          ...forward(1),
          ...when(isByte(QUOTE), passString, when(isByte(COMMA), passComma, when(isByte(COLON), passColon, passOther))),
        ],
        i32.lt(at, to),
      ),
      ...i32.const(0),
    ],
  };
}

const wordOf = (text: string): Code => i32.const(Buffer.from(text).readInt32LE(0));
const isWord = (text: string, offset = 0): Code => i32.eq(i32.load(at, offset), wordOf(text));
const isDigit = i32.below(i32.sub(byteAt, i32.const(ZERO)), i32.const(10));
const isAt = (byte: number): Code => i32.eq(byteAt, i32.const(byte));
const isOneOf = (text: string): Code => anyOf(i32.const(0), ...Buffer.from(text).values().map(isAt));
const passDigits: Code = [...when(i32.eqz(isDigit), nothing), ...repeatWhile(forward(1), isDigit)];

/** skipWord(first byte of a number, true, false or null; to). Whatever follows it is for the caller to check. */
export const skipWord: WasmFunction = {
  name: 'skipWord',
  i32Locals: 0,
  v128Locals: 0,
  code: [
    ...when(i32.or(isWord('true'), isWord('null')), returnValue(i32.add(at, i32.const(4)))),
    ...when(i32.and(isWord('fals'), isWord('alse', 1)), returnValue(i32.add(at, i32.const(5)))),
    ...when(isAt(0x2d), forward(1)),
    // No digit may follow a leading zero.
    ...when(isAt(ZERO), forward(1), passDigits),
    ...when(isAt(0x2e), [...forward(1), ...passDigits]),
    ...when(isOneOf('eE'), [...forward(1), ...when(isOneOf('+-'), forward(1)), ...passDigits]),
    ...at,
  ],
};

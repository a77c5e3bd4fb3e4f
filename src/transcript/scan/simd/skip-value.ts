import { call, type Code, get, giveBack, i32, repeatWhile, set, v128, type WasmFunction, when } from './emit.ts';

/** Each of these returns the address after a piece of JSON, or 0 if it does not end before `to`. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;
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
const nothing = giveBack(i32.const(0));

const MASK = 3;
const BLOCK = 4;

/** skipString(first byte after the opening quote, to) */
export const skipString: WasmFunction = {
  name: 'skipString',
  i32Locals: 1,
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
          ...when(i32.eq(byteAt, i32.const(QUOTE)), giveBack(i32.add(at, i32.const(1)))),
          ...forward(2),
        ]),
      ],
      i32.lt(at, to),
    ),
    ...i32.const(0),
  ],
};

const DEPTH = 3;
const BYTE = 4;
const kind = i32.and(get(BYTE), i32.const(0xff ^ BRACE_BIT));

/** skipNested(opening brace or bracket, to); `stringIndex` is the number of skipString. */
export function skipNested(stringIndex: number): WasmFunction {
  const closeOne: Code = [...set(DEPTH, i32.sub(get(DEPTH), i32.const(1))), ...when(i32.eqz(get(DEPTH)), giveBack(at))];
  const openOrClose = when(
    i32.eq(kind, i32.const(OPEN)),
    set(DEPTH, i32.add(get(DEPTH), i32.const(1))),
    when(i32.eq(kind, i32.const(CLOSE)), closeOne),
  );
  const inString: Code = [...set(AT, call(stringIndex, at, to, to)), ...when(i32.eqz(at), nothing)];
  return {
    name: 'skipNested',
    i32Locals: 2,
    v128Locals: 0,
    code: [
      ...repeatWhile(
        [...set(BYTE, byteAt), ...forward(1), ...when(i32.eq(get(BYTE), i32.const(QUOTE)), inString, openOrClose)],
        i32.lt(at, to),
      ),
      ...i32.const(0),
    ],
  };
}

/** skipWord(first byte of a number, true, false or null; to) */
export const skipWord: WasmFunction = {
  name: 'skipWord',
  i32Locals: 2,
  v128Locals: 0,
  code: [
    ...repeatWhile(
      [
        ...set(BYTE, byteAt),
        ...when(
          i32.or(
            i32.or(i32.eq(get(BYTE), i32.const(COMMA)), i32.le(get(BYTE), i32.const(SPACE))),
            i32.eq(kind, i32.const(CLOSE)),
          ),
          giveBack(at),
        ),
        ...forward(1),
      ],
      i32.lt(at, to),
    ),
    ...i32.const(0),
  ],
};

import { type Code, get, giveBack, i32, loopWhile, set, v128, type WasmFunction, when } from '../../wasm/emit.ts';
import { ESCAPES_AT, HEX_AT, RESULT, RESULT_AT } from './layout.ts';

/**
 * unescape(from, to, out): writes the text that a checked JSON string stands for, as UTF-8, and gives the address behind
 * it; 0 for half of a surrogate pair, which UTF-8 cannot say.
 */
const BACKSLASH = 0x5c;

const AT = 0;
const TO = 1;
const OUT = 2;
const CODE = 3;
const MASK = 4;
const LOW = 5;
const BLOCK = 6;

const at = get(AT);
const out = get(OUT);
const code = get(CODE);
const forward = (count: Code): Code => set(AT, i32.add(at, count));
const giveUp = giveBack(i32.const(0));

const write = (...bytes: readonly Code[]): Code => [
  ...bytes.flatMap((byte, index) => i32.storeByte(out, byte, index)),
  ...set(OUT, i32.add(out, i32.const(bytes.length))),
];
/** Six bits from `shift` on, as a byte that goes on a character; or the first byte of one. */
const tail = (shift: number): Code =>
  i32.or(i32.and(i32.shr(code, i32.const(shift)), i32.const(0x3f)), i32.const(0x80));
const head = (shift: number, mark: number): Code => i32.or(i32.shr(code, i32.const(shift)), i32.const(mark));

const digit = (offset: number): Code => i32.loadByte(i32.add(i32.const(HEX_AT), i32.loadByte(at, offset)));
const digits = i32.or(
  i32.or(i32.shl(digit(2), i32.const(12)), i32.shl(digit(3), i32.const(8))),
  i32.or(i32.shl(digit(4), i32.const(4)), digit(5)),
);
const isSurrogate = (value: Code, first: number): Code => i32.eq(i32.and(value, i32.const(0xfc00)), i32.const(first));

const takePair: Code = [
  ...when(i32.ge(i32.add(at, i32.const(5)), get(TO)), giveUp),
  ...when(i32.ne(i32.loadByte(at), i32.const(BACKSLASH)), giveUp),
  ...when(i32.ne(i32.loadByte(at, 1), i32.const(0x75)), giveUp),
  ...set(LOW, digits),
  ...when(i32.eqz(isSurrogate(get(LOW), 0xdc00)), giveUp),
  ...forward(i32.const(6)),
  ...set(
    CODE,
    i32.add(
      i32.const(0x10000),
      i32.or(i32.shl(i32.and(code, i32.const(0x3ff)), i32.const(10)), i32.and(get(LOW), i32.const(0x3ff))),
    ),
  ),
  ...write(head(18, 0xf0), tail(12), tail(6), tail(0)),
];

const takeUnicode: Code = [
  ...set(CODE, digits),
  ...forward(i32.const(6)),
  ...when(i32.ge(code, i32.const(0x80)), i32.store(i32.const(RESULT_AT), i32.const(1), RESULT.isUnescapedHigh)),
  ...when(isSurrogate(code, 0xdc00), giveUp),
  ...when(
    isSurrogate(code, 0xd800),
    takePair,
    when(
      i32.lt(code, i32.const(0x80)),
      write(code),
      when(i32.lt(code, i32.const(0x800)), write(head(6, 0xc0), tail(0)), write(head(12, 0xe0), tail(6), tail(0))),
    ),
  ),
];

const takeEscape: Code = [
  ...set(CODE, i32.loadByte(i32.add(i32.const(ESCAPES_AT), i32.loadByte(at, 1)))),
  ...when(i32.eq(code, i32.const(1)), takeUnicode, [...write(code), ...forward(i32.const(2))]),
];

const step = (count: Code): Code => [...set(OUT, i32.add(out, count)), ...forward(count)];

export const unescape: WasmFunction = {
  name: 'unescape',
  i32Locals: 3,
  v128Locals: 1,
  code: [
    ...loopWhile(i32.lt(at, get(TO)), [
      ...set(BLOCK, v128.load(at)),
      ...v128.store(out, get(BLOCK)),
      ...set(MASK, v128.bitmask(v128.equalBytes(get(BLOCK), v128.splat(BACKSLASH)))),
      ...when(get(MASK), [...step(i32.ctz(get(MASK))), ...when(i32.lt(at, get(TO)), takeEscape)], step(i32.const(16))),
    ]),
    // The last block reached over the end.
    ...i32.sub(out, i32.sub(at, get(TO))),
  ],
};

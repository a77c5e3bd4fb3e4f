import { call, type Code, get, giveBack, i32, set, v128, when } from '../../wasm/emit.ts';
import { LONG, LONG_AT } from './layout.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** Keys, ids and times end within so many blocks; what does not is long. */
const SHORT_BLOCKS = 3;

/** Locals of the routine that scans. */
export interface ScanLocals {
  /** Goes from the first byte of the string to its closing quote. */
  readonly at: number;
  readonly to: number;
  readonly mask: number;
  /** Not zero when there was an escape, a byte over 0x7f, the escape of the mark. */
  readonly escaped: number;
  readonly high: number;
  readonly marked: number;
  readonly block: number;
  readonly skipLongStringIndex: number;
}

/** Passes a string and checks it as JSON.parse would; the routine gives 0 for one that is not whole and right. */
export function scanString(locals: ScanLocals): Code {
  const { at: AT, mask: MASK, high: HIGH } = locals;
  const at = get(AT);
  const block = get(locals.block);
  const to = get(locals.to);
  const giveUp = giveBack(i32.const(0));
  const forward = (count: Code): Code => set(AT, i32.add(at, count));
  const seen = (what: number): Code => i32.load(i32.const(LONG_AT), what);
  const passLong: Code = [
    ...set(AT, call(locals.skipLongStringIndex, at, to, to)),
    ...when(i32.eqz(at), giveUp),
    ...set(locals.escaped, seen(LONG.isEscaped)),
    ...set(HIGH, i32.or(get(HIGH), seen(LONG.isHigh))),
    ...set(locals.marked, i32.or(get(locals.marked), seen(LONG.isMarked))),
  ];
  const special = v128.or(
    v128.or(v128.equalBytes(block, v128.splat(QUOTE)), v128.equalBytes(block, v128.splat(BACKSLASH))),
    v128.smallerBytes(block, v128.splat(SPACE)),
  );
  const place = i32.ctz(get(MASK));
  const bitsBefore = i32.sub(i32.shl(i32.const(1), place), i32.const(1));
  const stop: Code = [
    ...set(HIGH, i32.or(get(HIGH), i32.and(v128.bitmask(block), bitsBefore))),
    ...forward(place),
    ...when(i32.ge(at, to), giveUp),
    ...when(i32.ne(i32.loadByte(at), i32.const(QUOTE)), passLong),
  ];
  const passShort = (blocks: number): Code => [
    ...set(locals.block, v128.load(at)),
    ...set(MASK, v128.bitmask(special)),
    ...when(get(MASK), stop, [
      ...set(HIGH, i32.or(get(HIGH), v128.bitmask(block))),
      ...forward(i32.const(16)),
      ...(blocks > 1 ? passShort(blocks - 1) : [...when(i32.ge(at, to), giveUp), ...passLong]),
    ]),
  ];
  return [...set(locals.escaped, i32.const(0)), ...set(HIGH, i32.const(0)), ...passShort(SHORT_BLOCKS)];
}

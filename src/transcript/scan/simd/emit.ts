/**
 * The few WebAssembly instructions the line finder is written in, as bytes. There is no compiler in the house, and the
 * routine is too small to bring one in. Names follow the specification.
 */
export type Code = readonly number[];

const I32 = 0x7f;
const V128 = 0x7b;
const VOID = 0x40;
const SIMD = 0xfd;
const MAGIC_AND_VERSION = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(BigInt(value))],
  store: (address: Code, value: Code): Code => [...address, ...value, 0x36, 2, 0],
  add: (a: Code, b: Code): Code => [...a, ...b, 0x6a],
  sub: (a: Code, b: Code): Code => [...a, ...b, 0x6b],
  and: (a: Code, b: Code): Code => [...a, ...b, 0x71],
  shl: (a: Code, b: Code): Code => [...a, ...b, 0x74],
  lt: (a: Code, b: Code): Code => [...a, ...b, 0x48],
  gt: (a: Code, b: Code): Code => [...a, ...b, 0x4a],
  eqz: (a: Code): Code => [...a, 0x45],
  /** Zero bits above the highest and below the lowest set bit. */
  clz: (a: Code): Code => [...a, 0x67],
  ctz: (a: Code): Code => [...a, 0x68],
} as const;

export const i64 = {
  const: (value: bigint): Code => [0x42, ...signed(value)],
  load: (address: Code, offset: number): Code => [...address, 0x29, 0, ...unsigned(offset)],
  eq: (a: Code, b: Code): Code => [...a, ...b, 0x51],
} as const;

export const v128 = {
  load: (address: Code, offset: number): Code => [...address, SIMD, 0, 0, ...unsigned(offset)],
  splat: (byte: number): Code => [...i32.const(byte), SIMD, ...unsigned(15)],
  /** 0xff in each of the 16 bytes that are equal. */
  equalBytes: (a: Code, b: Code): Code => [...a, ...b, SIMD, ...unsigned(35)],
  and: (a: Code, b: Code): Code => [...a, ...b, SIMD, ...unsigned(78)],
  anyTrue: (a: Code): Code => [...a, SIMD, ...unsigned(83)],
  /** The 16 highest bits as a number; bit 0 is the byte at the lowest address. */
  bitmask: (a: Code): Code => [...a, SIMD, ...unsigned(100)],
} as const;

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
export const when = (condition: Code, then: Code): Code => [...condition, 0x04, VOID, ...then, 0x0b];
/** Runs the body, and again as long as the condition behind it holds. */
export const repeatWhile = (body: Code, condition: Code): Code => [0x03, VOID, ...body, ...condition, 0x0d, 0, 0x0b];
export const giveBack = (value: Code): Code => [...value, 0x0f];

/** A module with one function `run(i32, i32) → i32` over the memory imported as `env.memory`. */
export function moduleOf(i32Locals: number, v128Locals: number, code: Code): Uint8Array<ArrayBuffer> {
  const body = [2, ...unsigned(i32Locals), I32, ...unsigned(v128Locals), V128, ...code, 0x0b];
  return new Uint8Array([
    ...MAGIC_AND_VERSION,
    ...section(1, [1, 0x60, 2, I32, I32, 1, I32]),
    ...section(2, [1, ...text('env'), ...text('memory'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('run'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function text(name: string): Code {
  const bytes = Buffer.from(name);
  return [bytes.length, ...bytes];
}

/** LEB128, seven bits at a time. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: bigint): Code {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}

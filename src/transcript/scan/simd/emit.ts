/**
 * The few WebAssembly instructions our routines use, as bytes. The routines are too small to justify a compiler in the
 * build. Names follow the specification; operands come before the operation. Code is a tree, so that a part used in
 * several places exists once; `bytesOf` flattens it.
 */
export type Code = readonly (number | Code)[];

const I32 = 0x7f;
const V128 = 0x7b;
const VOID = 0x40;
const SIMD = 0xfd;
const MAGIC_AND_VERSION = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(BigInt(value))],
  load: (address: Code, offset = 0): Code => [address, 0x28, 0, ...unsigned(offset)],
  loadByte: (address: Code, offset = 0): Code => [address, 0x2d, 0, ...unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [address, value, 0x36, 0, ...unsigned(offset)],
  add: (a: Code, b: Code): Code => [a, b, 0x6a],
  sub: (a: Code, b: Code): Code => [a, b, 0x6b],
  and: (a: Code, b: Code): Code => [a, b, 0x71],
  or: (a: Code, b: Code): Code => [a, b, 0x72],
  shl: (a: Code, b: Code): Code => [a, b, 0x74],
  /** Unsigned. */
  shr: (a: Code, b: Code): Code => [a, b, 0x76],
  eqz: (a: Code): Code => [a, 0x45],
  eq: (a: Code, b: Code): Code => [a, b, 0x46],
  ne: (a: Code, b: Code): Code => [a, b, 0x47],
  lt: (a: Code, b: Code): Code => [a, b, 0x48],
  gt: (a: Code, b: Code): Code => [a, b, 0x4a],
  le: (a: Code, b: Code): Code => [a, b, 0x4c],
  ge: (a: Code, b: Code): Code => [a, b, 0x4e],
  mul: (a: Code, b: Code): Code => [a, b, 0x6c],
  /** Unsigned division and comparison. */
  div: (a: Code, b: Code): Code => [a, b, 0x6e],
  below: (a: Code, b: Code): Code => [a, b, 0x49],
  xor: (a: Code, b: Code): Code => [a, b, 0x73],
  /** Number of zero bits above the highest and below the lowest set bit. */
  clz: (a: Code): Code => [a, 0x67],
  ctz: (a: Code): Code => [a, 0x68],
} as const;

/** Sixteen bytes at a time. */
export const v128 = {
  load: (address: Code, offset = 0): Code => [address, SIMD, 0, 0, ...unsigned(offset)],
  splat: (byte: number): Code => [i32.const(byte), SIMD, 15],
  /** 0xff in each byte that is equal. */
  equalBytes: (a: Code, b: Code): Code => [a, b, SIMD, 35],
  /** 0xff in each byte that is below, unsigned. */
  belowBytes: (a: Code, b: Code): Code => [a, b, SIMD, 38],
  and: (a: Code, b: Code): Code => [a, b, SIMD, 78],
  or: (a: Code, b: Code): Code => [a, b, SIMD, 80],
  xor: (a: Code, b: Code): Code => [a, b, SIMD, 81],
  anyTrue: (a: Code): Code => [a, SIMD, 83],
  /** The highest bit of each byte as one number; bit 0 is the byte at the lowest address. */
  bitmask: (a: Code): Code => [a, SIMD, 100],
} as const;

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [value, 0x21, ...unsigned(local)];
export const call = (index: number, ...args: readonly Code[]): Code => [...args, 0x10, ...unsigned(index)];
export const returnValue = (value: Code): Code => [value, 0x0f];
export const copy = (to: Code, from: Code, length: Code): Code => [to, from, length, 0xfc, 10, 0, 0];
export const fill = (address: Code, byte: Code, length: Code): Code => [address, byte, length, 0xfc, 11, 0];
export const when = (condition: Code, then: Code, otherwise: Code = []): Code => [
  condition,
  0x04,
  VOID,
  then,
  ...(otherwise.length > 0 ? [0x05, otherwise] : []),
  0x0b,
];
/** Runs the body and repeats it while the condition after it holds. */
export const repeatWhile = (body: Code, condition: Code): Code => [0x03, VOID, body, condition, 0x0d, 0, 0x0b];
/** Tests the condition first. */
export const loopWhile = (condition: Code, body: Code): Code => when(condition, repeatWhile(body, condition));

export interface WasmFunction {
  readonly name: string;
  readonly i32Locals: number;
  readonly v128Locals: number;
  /** Leaves its result on the stack. Locals are numbered after the three parameters: first i32, then v128. */
  readonly code: Code;
}

/** A module of functions `(i32, i32, i32) → i32`, numbered in order, with the memory imported as `env.memory`. */
export function moduleOf(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const bodies = functions.map(({ i32Locals, v128Locals, code }) => {
    const locals = [...unsigned(i32Locals), I32, ...unsigned(v128Locals), V128];
    const body = [2, ...locals, ...bytesOf(code), 0x0b];
    return [...unsigned(body.length), ...body];
  });
  const names = functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]);
  return new Uint8Array([
    ...MAGIC_AND_VERSION,
    ...section(1, [1, 0x60, 3, I32, I32, I32, 1, I32]),
    ...section(2, [1, ...text('env'), ...text('memory'), 2, 0, 1]),
    ...section(3, [functions.length, ...functions.map(() => 0)]),
    ...section(7, [functions.length, ...names.flat()]),
    ...section(10, [functions.length, ...bodies.flat()]),
  ]);
}

function bytesOf(code: Code, bytes: number[] = []): number[] {
  for (const part of code) {
    if (typeof part === 'number') bytes.push(part);
    else bytesOf(part, bytes);
  }
  return bytes;
}

type Bytes = readonly number[];

function section(id: number, content: Bytes): Bytes {
  return [id, ...unsigned(content.length), ...content];
}

function text(name: string): Bytes {
  const bytes = Buffer.from(name);
  return [bytes.length, ...bytes];
}

/** LEB128, seven bits at a time. */
function unsigned(value: number): Bytes {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: bigint): Bytes {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}

export const PAGE_BYTES = 65_536;

export type Routine = (a: number, b: number, c: number) => number;

/** The part of the global WebAssembly object used here; Node's types do not describe it. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface Wasm {
  readonly Memory: new (limits: { initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, Routine>> };
}

/** False if WebAssembly is disabled. */
export function hasWasm(): boolean {
  return 'WebAssembly' in globalThis;
}

export function createMemory(pages: number): WasmMemory {
  return new (wasm().Memory)({ initial: pages });
}

/** The routines of a module by name, operating on the given memory. */
export function instantiate(code: Uint8Array<ArrayBuffer>, memory: WasmMemory): Readonly<Record<string, Routine>> {
  const { Module, Instance } = wasm();
  return new Instance(new Module(code), { env: { memory } }).exports;
}

function wasm(): Wasm {
  return (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
}

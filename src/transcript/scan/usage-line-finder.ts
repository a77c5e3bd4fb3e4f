import { FIND_USAGE_LINE, READ_AHEAD_BYTES } from './simd/find-usage-line.ts';

/** Finds the lines that hold usage in bytes that stand in memory of its own. */
export interface UsageLineFinder {
  /** Where to put bytes. Another array after `grow`. */
  readonly memory: Buffer;
  /** Start and end of the line found last. */
  readonly lineStart: number;
  readonly lineEnd: number;
  /** Looks between `from`, which is the start of a line, and `to`. */
  next(from: number, to: number): boolean;
  /** Makes room for so many bytes and keeps what is there. */
  grow(sizeBytes: number): void;
}

const PAGE_BYTES = 65_536;
/** The addresses below hold the result. */
const FIRST_BYTE = 64;
const NEWLINE = 0x0a;
const NEEDLE = Buffer.from('"output_tokens"');

export function createUsageLineFinder(sizeBytes: number): UsageLineFinder {
  return typeof WebAssembly === 'undefined' ? new PlainFinder(sizeBytes) : new SimdFinder(sizeBytes);
}

export class SimdFinder implements UsageLineFinder {
  memory: Buffer;
  lineStart = 0;
  lineEnd = 0;
  readonly #memory: WebAssembly.Memory;
  readonly #run: (from: number, to: number) => number;
  #result: Int32Array;

  constructor(sizeBytes: number) {
    this.#memory = new WebAssembly.Memory({ initial: pagesFor(sizeBytes) });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(FIND_USAGE_LINE), {
      env: { memory: this.#memory },
    });
    this.#run = exports['run'] as (from: number, to: number) => number;
    this.memory = this.#view();
    this.#result = new Int32Array(this.#memory.buffer, 0, 2);
  }

  next(from: number, to: number): boolean {
    if (from >= to || this.#run(from + FIRST_BYTE, to + FIRST_BYTE) === 0) return false;
    this.lineStart = (this.#result[0] as number) - FIRST_BYTE;
    this.lineEnd = (this.#result[1] as number) - FIRST_BYTE;
    return true;
  }

  grow(sizeBytes: number): void {
    const missing = pagesFor(sizeBytes) - this.#memory.buffer.byteLength / PAGE_BYTES;
    if (missing <= 0) return;
    this.#memory.grow(missing);
    this.memory = this.#view();
    this.#result = new Int32Array(this.#memory.buffer, 0, 2);
  }

  #view(): Buffer {
    const { buffer } = this.#memory;
    return Buffer.from(buffer, FIRST_BYTE, buffer.byteLength - FIRST_BYTE - READ_AHEAD_BYTES);
  }
}

/** The same where WebAssembly is switched off. */
export class PlainFinder implements UsageLineFinder {
  memory: Buffer;
  lineStart = 0;
  lineEnd = 0;

  constructor(sizeBytes: number) {
    this.memory = Buffer.alloc(sizeBytes);
  }

  next(from: number, to: number): boolean {
    const bytes = this.memory.subarray(0, to);
    const hit = bytes.indexOf(NEEDLE, from);
    if (hit < 0) return false;
    this.lineStart = bytes.lastIndexOf(NEWLINE, hit) + 1;
    const newline = bytes.indexOf(NEWLINE, hit);
    this.lineEnd = newline < 0 ? to : newline;
    return true;
  }

  grow(sizeBytes: number): void {
    if (sizeBytes <= this.memory.length) return;
    const larger = Buffer.alloc(sizeBytes);
    this.memory.copy(larger);
    this.memory = larger;
  }
}

function pagesFor(sizeBytes: number): number {
  return Math.ceil((FIRST_BYTE + sizeBytes + READ_AHEAD_BYTES) / PAGE_BYTES);
}

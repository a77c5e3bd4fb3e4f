import { createMemory, PAGE_BYTES, type WasmMemory } from '../../wasm/instance.ts';
import { LINE_AT, SLACK_BYTES } from './layout.ts';

/** Room for a line and for what is made of it, to begin with. */
const FIRST_LINE_BYTES = 256 * 1024;

/** Buffer.toString without the search for the encoding's name; not in Node's types. */
interface SlicedBuffer extends Buffer {
  utf8Slice(start: number, end: number): string;
  latin1Slice(start: number, end: number): string;
}

/** The memory that the routines work on: tables, the line in hand, and room behind it for what they write. */
export class LineMemory {
  readonly wasm: WasmMemory = createMemory(pagesFor(FIRST_LINE_BYTES));
  /** The part below the line. */
  words: Int32Array = this.#wordsBelowLine();
  /** Behind the last byte of the line, and where there is room to write. */
  lineEnd = LINE_AT;
  outAt = LINE_AT;
  #bytes = Buffer.from(this.wasm.buffer) as SlicedBuffer;
  #roomBytes = FIRST_LINE_BYTES;

  get bytes(): Buffer {
    return this.#bytes;
  }

  load(line: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start);
    line.copy(this.#bytes, LINE_AT, start, end);
    this.lineEnd = LINE_AT + end - start;
    this.outAt = this.lineEnd + SLACK_BYTES;
  }

  text(start: number, end: number, isHigh: boolean): string {
    return isHigh ? this.#bytes.utf8Slice(start, end) : this.#bytes.latin1Slice(start, end);
  }

  #makeRoom(lineBytes: number): void {
    if (lineBytes <= this.#roomBytes) return;
    this.wasm.grow(pagesFor(lineBytes) - pagesFor(this.#roomBytes));
    this.#roomBytes = lineBytes;
    this.#bytes = Buffer.from(this.wasm.buffer) as SlicedBuffer;
    this.words = this.#wordsBelowLine();
  }

  #wordsBelowLine(): Int32Array {
    return new Int32Array(this.wasm.buffer, 0, LINE_AT / 4);
  }
}

function pagesFor(lineBytes: number): number {
  return Math.ceil((LINE_AT + 2 * (lineBytes + SLACK_BYTES)) / PAGE_BYTES);
}

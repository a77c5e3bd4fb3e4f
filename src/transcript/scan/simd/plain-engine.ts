import { FIRST_BYTE, type LineEngine } from './line-engine.ts';

const NEWLINE = 0x0a;
const NEEDLE = Buffer.from('"output_tokens"');

/** Does without WebAssembly: finds lines, and leaves all records to JSON.parse. */
export class PlainEngine implements LineEngine {
  bytes: Buffer;
  readonly slots = new Int32Array(0);
  readonly values = new Int32Array(0);
  lineStart = 0;
  lineEnd = 0;

  constructor(sizeBytes: number) {
    this.bytes = Buffer.alloc(FIRST_BYTE + sizeBytes);
  }

  get sizeBytes(): number {
    return this.bytes.length - FIRST_BYTE;
  }

  findLine(from: number, to: number): boolean {
    const searched = this.bytes.subarray(from, to);
    const hit = searched.indexOf(NEEDLE);
    if (hit < 0) return false;
    const newline = searched.indexOf(NEWLINE, hit);
    this.lineStart = from + searched.lastIndexOf(NEWLINE, hit) + 1;
    this.lineEnd = newline < 0 ? to : from + newline;
    return true;
  }

  readRecord(): number {
    return 0;
  }

  readValues(): boolean {
    return false;
  }

  grow(sizeBytes: number): void {
    if (sizeBytes <= this.sizeBytes) return;
    const larger = Buffer.alloc(FIRST_BYTE + sizeBytes);
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}

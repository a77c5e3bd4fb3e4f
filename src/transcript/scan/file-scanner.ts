import { MAX_LINE_BYTES } from '../read/line-splitter.ts';
import { type LineCounts, LineScanner } from './line-scanner.ts';
import { createUsageLineFinder, type UsageLineFinder } from './usage-line-finder.ts';
import { type ScanFile, UsageRows } from './usage-rows.ts';

/** Most transcripts are smaller and are read at once; more would leave the processor's cache. */
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Puts the next bytes of a file into `target` and says how many; 0 is the end. */
export type ReadInto = (target: Uint8Array) => number;

export interface FileScan {
  readonly bytes: number;
  /** Lines over the limit: passed by, not looked at. */
  readonly oversizeLines: number;
}

/** Takes files one after the other and keeps what they say about usage. One per thread. */
export class FileScanner {
  readonly #finder: UsageLineFinder = createUsageLineFinder(CHUNK_BYTES);
  readonly #rows = new UsageRows();
  readonly #lines = new LineScanner(this.#finder, this.#rows);

  get rows(): UsageRows['rows'] {
    return this.#rows.rows;
  }

  get counts(): LineCounts {
    return this.#lines.counts;
  }

  /** Lines are kept whole in memory up to `maxLineBytes`; all else is read in chunks of a fixed size. */
  scan(file: ScanFile, read: ReadInto, maxLineBytes = MAX_LINE_BYTES): FileScan {
    this.#rows.startFile(file);
    let bytes = 0;
    let oversizeLines = 0;
    /** Bytes in memory, and how many of them at the start are known to hold no newline. */
    let filled = 0;
    let isOversize = false;
    for (;;) {
      const room = this.#roomFor(filled, maxLineBytes);
      const count = read(room);
      if (count === 0) break;
      bytes += count;
      const end = filled + count;
      const newline = lastNewline(room, count) + filled;
      if (newline < filled) {
        // No line ends here: keep it, or let the rest of a line over the limit pass by.
        isOversize ||= end > maxLineBytes;
        filled = isOversize ? 0 : end;
        continue;
      }
      const from = isOversize ? room.indexOf(NEWLINE) + filled + 1 : 0;
      if (isOversize) oversizeLines += 1;
      isOversize = false;
      this.#lines.scan(from, newline + 1);
      this.#finder.memory.copyWithin(0, newline + 1, end);
      filled = end - newline - 1;
    }
    if (isOversize) oversizeLines += 1;
    else this.#lines.scan(0, filled);
    return { bytes, oversizeLines };
  }

  #roomFor(filled: number, maxLineBytes: number): Buffer {
    if (filled + CHUNK_BYTES / 2 > this.#finder.memory.length) {
      this.#finder.grow(Math.min(filled * 2, maxLineBytes) + CHUNK_BYTES);
    }
    const { memory } = this.#finder;
    return memory.subarray(filled, Math.min(memory.length, filled + CHUNK_BYTES));
  }
}

/** The position of the last newline in the first `count` bytes, or -1. */
function lastNewline(bytes: Buffer, count: number): number {
  return count === 0 ? -1 : bytes.lastIndexOf(NEWLINE, count - 1);
}

import { MAX_LINE_BYTES } from '../read/lines.ts';
import { FIRST_BYTE, type LineEngine, PlainEngine } from './line-engine.ts';
import { type LineCounts, LineScanner } from './line-scanner.ts';
import { SimdEngine } from './simd/simd-engine.ts';
import { USAGE_KEYS } from './usage-record.ts';
import { type RowColumns, type ScanFile, UsageRows } from './usage-rows.ts';

/** Most transcripts are smaller and are read at once; a larger chunk would not fit into the CPU cache. */
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Reads the next bytes of a file into `target` and returns their number; 0 at the end. */
type ReadInto = (target: Uint8Array) => number;

interface FileScan {
  readonly bytes: number;
  /** Lines over the limit, which are skipped unread. */
  readonly oversizeLines: number;
}

function createLineEngine(): LineEngine {
  return SimdEngine.isSupported() ? new SimdEngine(USAGE_KEYS, CHUNK_BYTES) : new PlainEngine(CHUNK_BYTES);
}

/** Scans files one after the other and collects their usage. One instance per thread. */
export class FileScanner {
  readonly #engine: LineEngine;
  readonly #rows = new UsageRows();
  readonly #lines: LineScanner;

  constructor(engine: LineEngine = createLineEngine()) {
    this.#engine = engine;
    this.#lines = new LineScanner(engine, this.#rows);
  }

  get columns(): RowColumns {
    return this.#rows.columns;
  }

  get counts(): LineCounts {
    return this.#lines.counts;
  }

  /** Memory holds one chunk, or one longer line of up to `maxLineBytes`. */
  scan(file: ScanFile, read: ReadInto, maxLineBytes = MAX_LINE_BYTES): FileScan {
    this.#rows.startFile(file);
    this.#lines.startFile();
    let bytes = 0;
    let oversizeLines = 0;
    let filled = 0;
    let isOversize = false;
    for (;;) {
      const room = this.#roomBehind(filled);
      const count = read(room);
      if (count === 0) break;
      bytes += count;
      const newline = room.lastIndexOf(NEWLINE, count - 1);
      if (newline < 0) {
        // The line is unfinished: keep its bytes, or skip it if it exceeds the limit.
        isOversize ||= filled + count > maxLineBytes;
        filled = isOversize ? 0 : filled + count;
        continue;
      }
      const skipped = isOversize ? room.indexOf(NEWLINE) + 1 : 0;
      oversizeLines += isOversize ? 1 : 0;
      isOversize = false;
      this.#lines.scan(FIRST_BYTE + skipped, FIRST_BYTE + filled + newline + 1);
      filled = this.#keepFrom(filled + newline + 1, filled + count);
    }
    if (isOversize) return { bytes, oversizeLines: oversizeLines + 1 };
    this.#lines.scan(FIRST_BYTE, FIRST_BYTE + filled);
    return { bytes, oversizeLines };
  }

  /** Returns a chunk of memory after the bytes of an unfinished line, growing the memory if needed. */
  #roomBehind(filled: number): Buffer {
    if (filled + CHUNK_BYTES > this.#engine.sizeBytes && filled > 0) this.#engine.grow(2 * filled + CHUNK_BYTES);
    const from = FIRST_BYTE + filled;
    return this.#engine.bytes.subarray(from, Math.min(from + CHUNK_BYTES, FIRST_BYTE + this.#engine.sizeBytes));
  }

  #keepFrom(start: number, end: number): number {
    if (start < end) this.#engine.bytes.copyWithin(FIRST_BYTE, FIRST_BYTE + start, FIRST_BYTE + end);
    return end - start;
  }
}

const ASIDE_NAME = /(?:^|\/)agent-a?side_question[^/]*$/;

/** A transcript of a scan. The session is the one that an import stores it with. */
export interface TranscriptFile {
  readonly path: string;
  readonly sessionId: string;
  /** Null for a main transcript. */
  readonly agentId: string | null;
}

export function scanFileOf({ path, sessionId, agentId }: TranscriptFile, index: number): ScanFile {
  return { index, sessionId, role: agentId === null ? 'main' : ASIDE_NAME.test(path) ? 'aside' : 'agent' };
}

export interface OpenFile {
  readonly read: ReadInto;
  close(): void;
}

export interface FilesScan extends LineCounts {
  readonly columns: RowColumns;
  readonly files: number;
  readonly bytes: number;
  readonly oversizeLines: number;
  /** Files that were deleted before they were scanned or could not be opened. */
  readonly missingFiles: number;
}

/**
 * Scans files in the order of the indexes that `next` returns, until an index is out of range. Threads that share the
 * work draw indexes from one counter.
 */
export function scanFiles<F extends TranscriptFile>(
  files: readonly F[],
  open: (file: F) => OpenFile | null,
  next: () => number,
): FilesScan {
  const scanner = new FileScanner();
  const sums = { files: 0, bytes: 0, oversizeLines: 0, missingFiles: 0 };
  for (let index = next(); index < files.length; index = next()) {
    const transcript = files[index] as F;
    const file = open(transcript);
    if (file === null) {
      sums.missingFiles += 1;
      continue;
    }
    try {
      const { bytes, oversizeLines } = scanner.scan(scanFileOf(transcript, index), file.read);
      sums.files += 1;
      sums.bytes += bytes;
      sums.oversizeLines += oversizeLines;
    } finally {
      file.close();
    }
  }
  return { columns: scanner.columns, ...sums, ...scanner.counts };
}

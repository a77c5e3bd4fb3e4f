import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { findKnownMessages, type RunQuery, type SlotUse } from '../../store/queries/usage/status-figures.ts';
import { PlainEngine } from '../../transcript/scan/line-engine.ts';
import { FileScanner } from '../../transcript/scan/scan-files.ts';
import { rowCount, rowReader } from '../../transcript/scan/usage-rows.ts';
import { usageTotals } from '../../transcript/scan/usage-totals.ts';
import { loadPriceBook } from '../cost/price-book.ts';

/** Reading more would take too long for a status line; the worker imports it in a moment. */
const MAX_BYTES = 1024 * 1024;

export interface Transcript {
  readonly sessionId: string;
  readonly path: string;
  /** Offset of the first byte that is not imported. */
  readonly from: number;
  /** The data folder, which may contain user prices. */
  readonly home: string;
}

/**
 * The usage in the bytes that were appended to the main transcript since it was last imported. Empty if nothing or
 * too much was appended, or if messages in it are already imported in part.
 */
export async function readAppended(
  runQuery: RunQuery,
  { sessionId, path, from, home }: Transcript,
): Promise<readonly SlotUse[]> {
  const bytes = readFrom(path, from);
  if (bytes === null || bytes.length === 0) return [];
  const scanner = new FileScanner(new PlainEngine(bytes.length));
  let at = 0;
  scanner.scan({ index: 0, sessionId, role: 'main' }, (target) => {
    const count = Math.min(target.length, bytes.length - at);
    target.set(bytes.subarray(at, at + count));
    at += count;
    return count;
  });
  const { columns } = scanner;
  const rowAt = rowReader(columns);
  const ids = new Set(Array.from({ length: rowCount(columns) }, (_, index) => rowAt(index).id));
  const known = await findKnownMessages(runQuery, sessionId, [...ids]);
  if (known === null || known.size > 0) return [];
  const { book } = await loadPriceBook(home);
  return usageTotals([columns], book).totals.flatMap((total) =>
    total.slot < 0
      ? []
      : [
          {
            slot: total.slot,
            costNanos: total.costNanos,
            tokens: total.input + total.output + total.cacheRead + total.cacheWrite5m + total.cacheWrite1h,
          },
        ],
  );
}

function readFrom(path: string, from: number): Uint8Array | null {
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size - from;
    if (size <= 0 || size > MAX_BYTES) return null;
    const bytes = new Uint8Array(size);
    return bytes.subarray(0, readSync(file, bytes, 0, size, from));
  } finally {
    closeSync(file);
  }
}

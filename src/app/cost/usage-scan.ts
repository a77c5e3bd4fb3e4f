import { closeSync, openSync, readSync } from 'node:fs';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import { threadUrl } from '../../lib/thread.ts';
import type { PriceBook } from '../../transcript/price/book.ts';
import type { SessionJudge } from '../../transcript/scan/api-messages.ts';
import { type FilesScan, type OpenFile, scanFiles, type TranscriptFile } from '../../transcript/scan/scan-files.ts';
import type { RowColumns } from '../../transcript/scan/usage-rows.ts';
import { type UsageTotals, usageTotals } from '../../transcript/scan/usage-totals.ts';

export interface ScanOptions {
  readonly threads?: number;
  readonly book?: PriceBook | undefined;
  readonly workerUrl?: URL;
  /** Decides which session counts a message; needed when usage is grouped by session. */
  readonly judge?: ((parts: readonly RowColumns[]) => Promise<SessionJudge>) | undefined;
}

export interface UsageScan extends UsageTotals {
  /** The result of each thread. */
  readonly scans: readonly FilesScan[];
}

/** A transcript by its path below a projects folder, and the path to open. */
export interface ScannedFile extends TranscriptFile {
  readonly absolutePath: string | Uint8Array;
}

export interface ScanShare {
  readonly files: readonly ScannedFile[];
  readonly counter: Int32Array<SharedArrayBuffer>;
}

const THREAD = threadUrl(import.meta.url, 'usage-scan-thread');

/** Usage totals of transcripts from any number of Claude homes, read by several threads. */
export async function scanUsage(
  files: readonly ScannedFile[],
  { threads = 1, book, workerUrl = THREAD, judge }: ScanOptions = {},
): Promise<UsageScan> {
  const share: ScanShare = { files, counter: new Int32Array(new SharedArrayBuffer(4)) };
  const others = Array.from({ length: threads - 1 }, () => askWorker(new Worker(workerUrl, { env: SHARE_ENV }), share));
  const scans = [scanShare(share), ...(await Promise.all(others))];
  const parts = scans.map(({ columns }) => columns);
  return { ...usageTotals(parts, book, (await judge?.(parts)) ?? null), scans };
}

/** Reads files until none is left; threads share one counter. */
export function scanShare({ files, counter }: ScanShare): FilesScan {
  return scanFiles(
    files,
    ({ absolutePath }) => openTranscript(absolutePath),
    () => Atomics.add(counter, 0, 1),
  );
}

function openTranscript(path: string | Uint8Array): OpenFile | null {
  const file = openOrNull(path);
  if (file === null) return null;
  let isAtEnd = false;
  return {
    // A short read means the end of a regular file, so no further read is needed.
    read(target) {
      if (isAtEnd) return 0;
      const count = readSync(file, target, 0, target.length, null);
      isAtEnd = count < target.length;
      return count;
    },
    close: () => closeSync(file),
  };
}

/** The file was deleted or may not be read: it is counted and skipped. */
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EPERM']);

function openOrNull(path: string | Uint8Array): number | null {
  try {
    return openSync(typeof path === 'string' ? path : Buffer.from(path), 'r');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (UNREADABLE.has(code)) return null;
    throw error;
  }
}

async function askWorker(worker: Worker, share: ScanShare): Promise<FilesScan> {
  worker.postMessage(share);
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('a scan worker exited without a result')));
  });
}

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PriceBook } from '../src/transcript/price/book.ts';
import { type PackedRows, unpackRows } from '../src/transcript/scan/pack-rows.ts';
import { type FilesScan, type OpenFile, scanFiles } from '../src/transcript/scan/scan-files.ts';
import { type UsageTotals, usageTotals } from '../src/transcript/scan/usage-totals.ts';

/** The usage scan on Node: files from a disk, work shared between threads. */

export interface ScanOptions {
  readonly threads?: number;
  readonly book?: PriceBook;
  /** Where the worker's code is, when it is not beside this file. */
  readonly workerUrl?: URL;
}

export interface UsageScan extends UsageTotals {
  readonly scans: readonly Omit<FilesScan, 'rows'>[];
}

export interface ScanWorkerData {
  readonly root: string;
  readonly paths: readonly string[];
  readonly counter: Int32Array<SharedArrayBuffer>;
}

export interface ScanWorkerResult {
  readonly packed: PackedRows;
  readonly scan: Omit<FilesScan, 'rows'>;
}

/** Totals over all transcripts below `root`, which is a projects folder. */
export async function scanUsage(root: string, options: ScanOptions = {}): Promise<UsageScan> {
  const { threads = 1, book, workerUrl = new URL('usage-scan-worker.ts', import.meta.url) } = options;
  const paths = listTranscripts(root);
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const others = Array.from({ length: threads - 1 }, () => startWorker(workerUrl, { root, paths, counter }));
  const own = scanShare({ root, paths, counter });
  const results = await Promise.all(others);
  const rows = [...own.rows, ...results.flatMap(({ packed }) => unpackRows(packed))];
  const { rows: _, ...scan } = own;
  return { ...usageTotals(rows, book), scans: [scan, ...results.map((result) => result.scan)] };
}

/** Takes files until none is left; threads take from the same counter. */
export function scanShare({ root, paths, counter }: ScanWorkerData): FilesScan {
  return scanFiles(
    paths,
    (path) => openTranscript(join(root, path)),
    () => Atomics.add(counter, 0, 1),
  );
}

/** Every .jsonl below the folder, relative to it, in one order on every machine. */
export function listTranscripts(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();
}

function openTranscript(path: string): OpenFile | null {
  const file = openOrNull(path);
  if (file === null) return null;
  let isAtEnd = false;
  return {
    // Less than asked for means the end of a regular file: no need to ask again.
    read(target) {
      if (isAtEnd) return 0;
      const count = readSync(file, target, 0, target.length, null);
      isAtEnd = count < target.length;
      return count;
    },
    close: () => closeSync(file),
  };
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function startWorker(url: URL, workerData: ScanWorkerData): Promise<ScanWorkerResult> {
  const worker = new Worker(url, { workerData });
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('a scan worker ended without a result')));
  });
}

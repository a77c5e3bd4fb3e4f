import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { PriceBook } from '../src/transcript/price/book.ts';
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
  readonly scans: readonly Omit<FilesScan, 'columns'>[];
}

export interface ScanShare {
  readonly root: string;
  readonly paths: readonly string[];
  readonly counter: Int32Array<SharedArrayBuffer>;
}

/** Totals over all transcripts below `root`, which is a projects folder. */
export async function scanUsage(root: string, options: ScanOptions = {}): Promise<UsageScan> {
  const { threads = 1, book, workerUrl = new URL('usage-scan-worker.ts', import.meta.url) } = options;
  // Workers first: they start up while the folders are read.
  const workers = Array.from({ length: threads - 1 }, () => new Worker(workerUrl, { env: SHARE_ENV }));
  const share: ScanShare = { root, paths: listTranscripts(root), counter: new Int32Array(new SharedArrayBuffer(4)) };
  const others = workers.map((worker) => askWorker(worker, share));
  const parts = [scanShare(share), ...(await Promise.all(others))];
  const totals = usageTotals(
    parts.map((part) => part.columns),
    book,
  );
  return { ...totals, scans: parts.map(({ columns: _, ...scan }) => scan) };
}

/** Takes files until none is left; threads take from the same counter. */
export function scanShare({ root, paths, counter }: ScanShare): FilesScan {
  return scanFiles(
    paths,
    (path) => openTranscript(`${root}/${path}`),
    () => Atomics.add(counter, 0, 1),
  );
}

/** Folders of a session that hold no transcripts. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(['tool-results', 'memory', 'scripts']);

/** Every .jsonl below the folder, relative to it, in one order on every machine. */
export function listTranscripts(root: string): readonly string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder === '' ? root : `${root}/${folder}`, { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() && entry.name.endsWith('.jsonl')) found.push(path);
      else if (entry.isDirectory() && !OTHER_FOLDERS.has(entry.name)) walk(path);
    }
  };
  walk('');
  return found.toSorted();
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

async function askWorker(worker: Worker, share: ScanShare): Promise<FilesScan> {
  worker.postMessage(share);
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('a scan worker ended without a result')));
  });
}

import { PlainEngine } from '../scan/line-engine.ts';
import { FileScanner } from '../scan/scan-files.ts';
import { rowCount, rowReader, type ScanFile, type UsageRow } from '../scan/usage-rows.ts';

/** Test helpers that scan text instead of files. */
export const MAIN: ScanFile = { index: 0, sessionId: '', role: 'main' };
export const TIME = '2026-01-21T20:53:24.199Z';

/** Returns the bytes in pieces of the given sizes, repeated cyclically. */
export function readerOf(bytes: Buffer, sizes: readonly number[] = [Number.POSITIVE_INFINITY]) {
  let at = 0;
  let turn = 0;
  return (target: Uint8Array): number => {
    const size = Math.min(sizes[turn++ % sizes.length] ?? 1, target.length, bytes.length - at);
    target.set(bytes.subarray(at, at + size));
    at += size;
    return size;
  };
}

export interface Found {
  readonly rows: readonly UsageRow[];
  readonly slowLines: number;
  readonly unreadableLines: number;
}

export function scan(text: string, file: ScanFile = MAIN, scanner = new FileScanner()): Found {
  scanner.scan(file, readerOf(Buffer.from(text)));
  return { rows: rowsOf(scanner), ...scanner.counts };
}

export function rowsOf({ columns }: FileScanner): UsageRow[] {
  return Array.from({ length: rowCount(columns) }, (_, index) => rowReader(columns)(index));
}

export function slowly(text: string, file: ScanFile = MAIN): Found {
  return scan(text, file, new FileScanner(new PlainEngine(1_000_000)));
}

export const USAGE = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 };

export function assistant(record: object = {}, message: object = {}, usage: object = {}): string {
  const inner = { id: 'msg_1', model: 'claude-opus-4-6', usage: { ...USAGE, ...usage }, ...message };
  const line = { type: 'assistant', requestId: 'req_1', sessionId: 's1', timestamp: TIME, message: inner, ...record };
  return `${JSON.stringify(line)}\n`;
}

export const PLAIN = {
  file: 0,
  id: 'msg_1',
  requestId: 'req_1',
  sessionId: 's1',
  startMs: Date.parse(TIME),
  order: 0,
  model: 'claude-opus-4-6',
  timeMs: Date.parse(TIME),
  marks: 0,
  input: 1,
  output: 2,
  cacheRead: 3,
  cacheWrite5m: 4,
  cacheWrite1h: 0,
  webSearches: 0,
};

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TranscriptSource } from '../src/domain/transcript.ts';
import type { Drift } from '../src/transcript/drift.ts';
import { parseSession } from '../src/transcript/parser.ts';
import { priceUsage } from '../src/transcript/price/price-usage.ts';
import { scannedFiles } from './transcripts.ts';

/** One thread's share of a full parse, or of the baseline it is compared with. */

/** `drift` is our parser as used in production: it also checks every record against the schemas. */
export type ParseWay = 'ours' | 'drift' | 'baseline';

export interface ParseJob {
  readonly way: ParseWay;
  readonly root: string;
  readonly sessions: readonly (readonly string[])[];
  readonly counter: Int32Array<SharedArrayBuffer>;
}

export interface ParseCounts {
  bytes: number;
  /** Records for the baseline; messages and blocks for our parser. */
  items: number;
}

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** The files of each session as paths below the root, in no particular order. */
export function sessionsBelow(root: string): readonly (readonly string[])[] {
  return [...Map.groupBy(scannedFiles(root), ({ sessionId }) => sessionId).values()].map((files) =>
    files.map(({ path }) => path),
  );
}

/** Takes sessions until none is left; all threads share one counter. */
export async function parseShare({ way, root, sessions, counter }: ParseJob): Promise<ParseCounts> {
  const counts: ParseCounts = { bytes: 0, items: 0 };
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const createDrift = way === 'drift' ? await loadDrift() : null;
  for (let index = Atomics.add(counter, 0, 1); index < sessions.length; index = Atomics.add(counter, 0, 1)) {
    const paths = sessions[index] ?? [];
    if (way === 'baseline') for (const path of paths) parseEveryLine(join(root, path), counts);
    else await parseOurs({ root, paths, chunk, createDrift }, counts);
  }
  return counts;
}

/** Loaded lazily as in production: the schemas take time and memory that a parse without them does not need. */
async function loadDrift(): Promise<() => Drift> {
  const { createDrift } = await import('../src/transcript/drift.ts');
  return createDrift;
}

interface SessionJob {
  readonly root: string;
  readonly paths: readonly string[];
  readonly chunk: Buffer;
  readonly createDrift: (() => Drift) | null;
}

async function parseOurs({ root, paths, chunk, createDrift }: SessionJob, counts: ParseCounts): Promise<void> {
  const sources = paths.map((path): TranscriptSource => {
    const agentId = /(?:^|\/)agent-([^/]*)\.jsonl$/.exec(path)?.[1] ?? null;
    return {
      role: agentId === null ? 'main' : 'agent',
      agentId,
      name: path,
      bytes: chunksOf(join(root, path), chunk, counts),
    };
  });
  const sessionId = basename(paths[0] ?? '', '.jsonl') || 'unknown';
  const sink = { block: () => void (counts.items += 1) };
  const options = createDrift === null ? { price: priceUsage } : { price: priceUsage, see: createDrift().see };
  const { messages } = await parseSession(sessionId, sources, sink, options);
  counts.items += messages.length;
}

async function* chunksOf(path: string, chunk: Buffer, counts: ParseCounts): AsyncGenerator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const count = readSync(file, chunk, 0, chunk.length, null);
      if (count === 0) return;
      counts.bytes += count;
      yield chunk.subarray(0, count);
    }
  } finally {
    closeSync(file);
  }
}

/** The baseline: reads the whole file into a buffer, splits it at newlines and calls JSON.parse on every line. */
function parseEveryLine(path: string, counts: ParseCounts): void {
  const bytes = readFileSync(path);
  counts.bytes += bytes.length;
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, from);
    const to = newline < 0 ? bytes.length : newline;
    try {
      JSON.parse(bytes.toString('utf8', from, to));
      counts.items += 1;
    } catch {
      // Damaged lines are part of the corpus.
    }
    from = to + 1;
  }
}

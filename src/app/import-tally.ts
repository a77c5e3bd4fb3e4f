import type { ImportProgress } from '../api/server.ts';
import { toFuelError } from '../domain/errors.ts';

/** Nothing is being imported. */
export const IDLE: ImportProgress = {
  phase: 'idle',
  files_total: 0,
  files_done: 0,
  bytes_total: 0,
  bytes_done: 0,
  sessions_to_index: 0,
  sessions_indexed: 0,
  error: null,
};

/** The result of an import. */
export interface ImportCounts {
  readonly files_changed: number;
  readonly bytes_read: number;
  readonly sessions_parsed: number;
  readonly sessions_indexed: number;
  readonly failed: readonly { readonly path: string; readonly error: string }[];
}

export interface ImportTally {
  enter(phase: ImportProgress['phase']): void;
  plan(files: number, bytes: number): void;
  bytesRead(bytes: number): void;
  fileDone(wasChanged: boolean): void;
  /** A session that turns out to be a copy of another is parsed twice, but counted once. */
  sessionParsed(sessionId: string): void;
  /** Besides those that are indexed already. */
  toIndex(sessions: number): void;
  sessionIndexed(): void;
  fail(path: string, error: unknown): void;
  counts(): ImportCounts;
}

/** Counts results and reports progress. */
export function createTally(onProgress: (progress: ImportProgress) => void): ImportTally {
  let progress = IDLE;
  let filesChanged = 0;
  const parsed = new Set<string>();
  const failed: { path: string; error: string }[] = [];
  const change = (part: Partial<ImportProgress>) => {
    progress = { ...progress, ...part };
    onProgress(progress);
  };
  return {
    enter: (phase) => change({ phase }),
    plan: (files, bytes) => change({ files_total: files, bytes_total: bytes }),
    bytesRead: (bytes) => change({ bytes_done: progress.bytes_done + bytes }),
    fileDone: (wasChanged) => {
      filesChanged += wasChanged ? 1 : 0;
      change({ files_done: progress.files_done + 1 });
    },
    sessionParsed: (sessionId) => {
      parsed.add(sessionId);
      change({});
    },
    toIndex: (sessions) => change({ sessions_to_index: progress.sessions_indexed + sessions }),
    sessionIndexed: () => change({ sessions_indexed: progress.sessions_indexed + 1 }),
    fail: (path, error) => void failed.push({ path, error: toFuelError(error).message }),
    counts: () => ({
      files_changed: filesChanged,
      bytes_read: progress.bytes_done,
      sessions_parsed: parsed.size,
      sessions_indexed: progress.sessions_indexed,
      failed,
    }),
  };
}

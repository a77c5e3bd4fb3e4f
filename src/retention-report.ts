import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from './app.ts';
import { type Discovery, discoverFiles } from './capture/discover.ts';
import { createIgnoreRule } from './capture/ignore.ts';
import { type Expiring, findExpiring, findLost, readRetention } from './capture/retention.ts';
import { readTextFile } from './lib/private-file.ts';
import { loadSourceFiles, type SourceFile } from './store/queries/archive.ts';

/** What stands between a transcript and its end: how `doctor` and `status` know it. */
export interface RetentionReport {
  readonly cleanup_days: number;
  readonly cleanup_is_set: boolean;
  /** Files with anything in them. */
  readonly files: number;
  /** Files with bytes that are not archived yet. */
  readonly waiting: number;
  /** Transcripts that Claude Code deletes within a week, the next one first. */
  readonly expiring: readonly Expiring[];
  /** Sessions whose transcript exists only in our archive. */
  readonly only_here: number;
  /** Sessions of which only prompts are left. */
  readonly lost: number;
  readonly skipped: Discovery['skipped'];
  readonly ignored: number;
}

/** Looks at the Claude home as it is now, by names, sizes and times. */
export async function reportRetention(app: App, now: Date): Promise<RetentionReport> {
  const { claudeHome, ignore } = app.config;
  const { files, skipped, ignored } = discoverFiles(claudeHome, createIgnoreRule(ignore));
  const known = await loadSourceFiles(app.store.engine.kysely, app.device.id, claudeHome);
  const isArchived = ({ path, sizeBytes }: { readonly path: string; readonly sizeBytes: number }) =>
    (known.get(path)?.archivedBytes ?? 0) >= sizeBytes;
  const retention = readRetention(claudeHome);
  const sessions = new Set([...files, ...known.values()].map(({ sessionId }) => sessionId));
  const history = readTextFile(join(claudeHome, 'history.jsonl')) ?? '';
  return {
    cleanup_days: retention.cleanupDays,
    cleanup_is_set: retention.isSet,
    files: files.filter(({ sizeBytes }) => sizeBytes > 0).length,
    waiting: files.filter((file) => !isArchived(file)).length,
    expiring: findExpiring(files, retention, isArchived, now),
    only_here: countOnlyHere(claudeHome, [...known.values()]),
    lost: findLost(history, (sessionId) => sessions.has(sessionId)).length,
    skipped,
    ignored,
  };
}

/** A session may have moved: it is lost outside when no name that it had leads anywhere. */
function countOnlyHere(claudeHome: string, known: readonly SourceFile[]): number {
  const mains = known.filter(({ kind }) => kind === 'main');
  const outside = mains.filter(({ path }) => existsSync(join(claudeHome, path)));
  const sessions = (files: readonly SourceFile[]) => new Set(files.map(({ sessionId }) => sessionId));
  return sessions(mains).difference(sessions(outside)).size;
}

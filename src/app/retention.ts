import { join } from 'node:path';
import type { ClaudeHomeStatus } from '../api/server.ts';
import { fileKey } from '../archive/find-changes.ts';
import { discoverFiles, type FoundFile } from '../capture/discover.ts';
import { homesToRead, listHomes } from '../capture/homes.ts';
import { settingsPath } from '../capture/hook/install.ts';
import { createIgnoreRule } from '../capture/project-folder.ts';
import {
  type Expiring,
  findExpiring,
  KEEP_DAYS,
  readRetention,
  sessionsInHistory,
  withCleanupDays,
} from '../capture/retention.ts';
import { changeSettings, EMPTY_SETTINGS, parseSettings, readSettings } from '../capture/settings/settings-file.ts';
import type { SkippedFile } from '../capture/walk-home.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../domain/ports.ts';
import { readTextFile } from '../lib/private-file.ts';
import { formatCount, plural } from '../reading/format.ts';
import { loadDeviceFiles, type SourceFile } from '../store/queries/archive/archive.ts';
import { loadDeleted } from '../store/queries/deletions/deletions.ts';
import type { App } from './open-app.ts';

/** How many files of a Claude home were found; each is archived, waiting or empty. */
interface FileCounts {
  readonly found: number;
  readonly archived: number;
  /** Files with bytes that are not archived yet. */
  readonly waiting: number;
  /** Files of size zero. */
  readonly empty: number;
}

interface FileCountsAndIgnored extends FileCounts {
  readonly ignored: number;
}

export { countExpiring, type Expiring } from '../capture/retention.ts';

export interface HomeReport extends ClaudeHomeStatus, FileCounts {
  readonly cleanup_days: number;
  readonly cleanup_is_set: boolean;
}

/** The Claude homes and their files, as shown by `doctor`, `status` and `backfill`. */
export interface RetentionReport extends FileCounts {
  /** Files that are not empty. */
  readonly files: number;
  readonly homes: readonly HomeReport[];
  /** The shortest period after which Claude Code deletes transcripts. */
  readonly cleanup_days: number;
  readonly cleanup_is_set: boolean;
  /** Transcripts that Claude Code deletes within a week, the next one first. */
  readonly expiring: readonly Expiring[];
  /** Sessions whose transcript exists only in our archive. */
  readonly only_here: number;
  /** Sessions deleted before they were archived; only their prompts are left. */
  readonly lost: number;
  /** Files and folders that cannot be read, and why. */
  readonly skipped: readonly SkippedFile[];
  /** Files excluded by the user's rules, and files of deleted sessions. */
  readonly ignored: number;
  /** Paths of the empty files. */
  readonly empty_files: readonly string[];
}

/** Checks the current state of the Claude homes by names, sizes and times. */
export async function reportRetention(
  app: Pick<App, 'config' | 'store' | 'device'>,
  now: Date,
): Promise<RetentionReport> {
  const homes = listHomes(app.config);
  const read = homesToRead(app.config);
  const { files: found, skipped, ignored: excluded } = discoverFiles(read, createIgnoreRule(app.config.ignore));
  const { sessions: deleted } = await loadDeleted(app.store.engine.kysely);
  const files = found.filter(({ sessionId }) => sessionId === null || !deleted.has(sessionId));
  const ignored = excluded + found.length - files.length;
  const known = await loadDeviceFiles(app.store.engine.kysely, app.device.id);
  const isArchived = archivedAmong(known);
  const reports = homes.map((home) => reportHome(home, files, isArchived));
  const counted = reports.filter(({ path }) => read.includes(path));
  return {
    homes: reports,
    ...countFiles(files, isArchived),
    files: files.filter(({ sizeBytes }) => sizeBytes > 0).length,
    cleanup_days: Math.min(...counted.map(({ cleanup_days }) => cleanup_days)),
    cleanup_is_set: reports.every(({ exists, cleanup_is_set }) => !exists || cleanup_is_set),
    expiring: counted
      .flatMap(({ path }) => findExpiring(filesOf(path, files), readRetention(path), isArchived, now))
      .toSorted((a, b) => a.days_left - b.days_left),
    only_here: countOnlyHere(files, known),
    lost: countLost(files, known),
    skipped,
    ignored,
    empty_files: files.filter(({ sizeBytes }) => sizeBytes === 0).map(({ root, path }) => join(root, path)),
  };
}

/** Sessions that are archived completely and whose transcript Claude Code deletes within a week. */
export async function findExpiringSessions(
  { config, device, engine }: Pick<App, 'config' | 'device'> & { readonly engine: App['store']['engine'] },
  now: Date,
): Promise<readonly string[]> {
  const paths = homesToRead(config);
  const { files } = discoverFiles(paths, createIgnoreRule(config.ignore));
  const isArchived = archivedAmong(await loadDeviceFiles(engine.kysely, device.id));
  return paths.flatMap((path) => {
    const own = filesOf(path, files);
    const expiring = findExpiring(own, readRetention(path), isArchived, now).filter(({ is_captured }) => is_captured);
    const names = new Set(expiring.map((file) => file.path));
    return own.flatMap(({ path: name, sessionId }) => (sessionId !== null && names.has(name) ? [sessionId] : []));
  });
}

type IsArchived = (file: FoundFile) => boolean;

function archivedAmong(known: readonly SourceFile[]): IsArchived {
  const bytes = new Map(known.map((file) => [fileKey(file), file.archivedBytes]));
  return (file) => (bytes.get(fileKey(file)) ?? 0) >= file.sizeBytes;
}

function reportHome(home: ClaudeHomeStatus, files: readonly FoundFile[], isArchived: IsArchived): HomeReport {
  const { cleanupDays, isSet } = readRetention(home.path);
  return {
    ...home,
    ...countFiles(filesOf(home.path, files), isArchived),
    cleanup_days: cleanupDays,
    cleanup_is_set: isSet,
  };
}

function filesOf(home: string, files: readonly FoundFile[]): readonly FoundFile[] {
  return files.filter(({ root }) => root === home);
}

function countFiles(files: readonly FoundFile[], isArchived: IsArchived): FileCounts {
  const empty = files.filter(({ sizeBytes }) => sizeBytes === 0).length;
  const waiting = files.filter((file) => !isArchived(file)).length;
  return { found: files.length, archived: files.length - empty - waiting, waiting, empty };
}

/** J14: a prompt history with prompts of an excluded project is not among the files and is not opened. */
function countLost(files: readonly FoundFile[], known: readonly SourceFile[]): number {
  const sessions = new Set([...files, ...known].map(({ sessionId }) => sessionId));
  const lost = new Set<string>();
  for (const file of files.filter(({ kind }) => kind === 'history')) {
    for (const sessionId of sessionsIn(file)) if (!sessions.has(sessionId)) lost.add(sessionId);
  }
  return lost.size;
}

const histories = new Map<string, { readonly stamp: string; readonly sessions: ReadonlySet<string> }>();

/** The sessions of a prompt history, which is read again when it has changed. */
function sessionsIn({ root, absolutePath, inode, sizeBytes, mtimeMs }: FoundFile): ReadonlySet<string> {
  const stamp = `${inode} ${sizeBytes} ${mtimeMs}`;
  const known = histories.get(root);
  if (known?.stamp === stamp) return known.sessions;
  const sessions = sessionsInHistory(readTextFile(absolutePath) ?? '');
  histories.set(root, { stamp, sessions });
  return sessions;
}

/** A session may have moved: it exists only here if none of its paths exists. */
function countOnlyHere(files: readonly FoundFile[], known: readonly SourceFile[]): number {
  const listed = new Set(files.map(fileKey));
  const mains = known.filter(({ kind }) => kind === 'main');
  const present = mains.filter((file) => listed.has(fileKey(file)));
  const sessions = (some: readonly SourceFile[]) => new Set(some.map(({ sessionId }) => sessionId));
  return sessions(mains).difference(sessions(present)).size;
}

/** A sentence whose counts add up to the files found. */
export function describeFileCounts({ found, archived, waiting, empty, ignored }: FileCountsAndIgnored): string {
  const rest = [
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(empty > 0 ? [`${empty} empty`] : []),
    ...(ignored > 0 ? [`${ignored} ignored by your rules`] : []),
  ];
  const all = found + ignored;
  if (all === 0) return 'no files found';
  if (rest.length === 0) return all === 1 ? 'the only file is archived' : `all ${formatCount(all)} files are archived`;
  return `${plural(all, 'file')} found: ${[`${archived} archived`, ...rest].join(', ')}`;
}

export { KEEP_DAYS } from '../capture/retention.ts';

export interface CleanupSetting {
  /** The settings file of a Claude home. */
  readonly path: string;
  readonly isKeepingAlready: boolean;
}

/** How long each Claude home keeps its transcripts. Errors: bad_config for settings that cannot be read. */
export function readCleanupSettings(config: Config): readonly CleanupSetting[] {
  return homesToRead(config)
    .map(settingsPath)
    .map((path) => {
      const text = readSettings(path) ?? EMPTY_SETTINGS;
      return { path, isKeepingAlready: parseSettings(path, text, () => withCleanupDays(text, KEEP_DAYS)) === text };
    });
}

/** Makes Claude Code keep its transcripts. */
export function keepTranscripts(path: string, clock: Clock): void {
  changeSettings(path, clock, (now) => withCleanupDays(now ?? EMPTY_SETTINGS, KEEP_DAYS));
}

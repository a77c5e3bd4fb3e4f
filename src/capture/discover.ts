import { existsSync, lstatSync, type Stats } from 'node:fs';
import { sep } from 'node:path';
import { classifyPath, type PathFacts } from './classify-path.ts';
import type { FolderRecords } from './folder-record.ts';
import { HomeWalk, type IgnoreProject, type RawPath, type SkippedFile, type WalkRules } from './walk-home.ts';

/** A file in a Claude home that belongs to one session or holds data about several. */
export interface FoundFile extends PathFacts {
  /** The Claude home that contains the file. */
  readonly root: string;
  /** Relative to the Claude home, with forward slashes. Bytes that are not valid UTF-8 appear as `\xNN`. */
  readonly path: string;
  readonly absolutePath: RawPath;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
}

export interface Discovery {
  /** The homes that currently have a projects folder. */
  readonly roots: readonly string[];
  readonly files: readonly FoundFile[];
  readonly skipped: readonly SkippedFile[];
  /** Number of files excluded by the user's ignore rules. */
  readonly ignored: number;
}

/** Lists the session files of Claude homes without reading them. */
export function discoverFiles(roots: readonly string[], ignoresProject: IgnoreProject = () => false): Discovery {
  return discover(roots, { ignoresProject, scope: 'all' });
}

/** Lists only transcripts; skips every other folder and file. */
export function discoverTranscripts(roots: readonly string[], ignoresProject: IgnoreProject): Discovery {
  return discover(roots, { ignoresProject, scope: 'transcripts' });
}

function discover(roots: readonly string[], rules: WalkRules): Discovery {
  const homes = roots.flatMap((root) => discoverHome(root, rules) ?? []);
  return {
    roots: homes.map(({ root }) => root),
    files: homes.flatMap(({ files }) => files),
    skipped: homes.flatMap(({ skipped }) => skipped),
    ignored: homes.reduce((sum, { ignored }) => sum + ignored, 0),
  };
}

interface DiscoveredHome extends Pick<Discovery, 'files' | 'skipped' | 'ignored'> {
  readonly root: string;
}

/** Null without a projects folder. */
function discoverHome(root: string, rules: WalkRules): DiscoveredHome | null {
  const found: FoundFile[] = [];
  const ignoredSessions = new Set<string>();
  let ignored = 0;
  const walk = new HomeWalk(root, rules, (path, at, ignoredProject) => {
    const facts = classifyIn(path, rules);
    if (facts === null) return true;
    if (ignoredProject === null) {
      const stat = walk.stat(path, at);
      if (stat !== null) found.push({ root, path, absolutePath: at, ...facts, ...stampOf(stat) });
    } else {
      ignored += 1;
      if (facts.sessionId !== null) ignoredSessions.add(facts.sessionId);
    }
    return true;
  });
  if (!walk.run()) return null;
  const files = ignored === 0 ? found : withoutSessions(found, ignoredSessions);
  return { root, files, skipped: walk.skipped, ignored: ignored + found.length - files.length };
}

/** J14: files outside an ignored project's folder are excluded by session id; the history covers all projects. */
function withoutSessions(files: readonly FoundFile[], ignored: ReadonlySet<string>): readonly FoundFile[] {
  return files.filter(({ kind, sessionId }) => kind !== 'history' && (sessionId === null || !ignored.has(sessionId)));
}

function classifyIn(path: string, { scope }: WalkRules): PathFacts | null {
  return scope === 'all' ? classifyPath(path) : classifyTranscript(path);
}

function classifyTranscript(path: string): PathFacts | null {
  const facts = path.endsWith('.jsonl') ? classifyPath(path) : null;
  return facts?.kind === 'main' || facts?.kind === 'agent' ? facts : null;
}

/** Facts that change whenever the file changes, as far as can be seen without reading it. */
type FileStamp = Pick<FoundFile, 'sizeBytes' | 'mtimeMs' | 'inode'>;

function stampOf({ size, mtimeMs, dev, ino }: Stats): FileStamp {
  return { sizeBytes: size, mtimeMs: Math.trunc(mtimeMs), inode: `${dev}:${ino}` };
}

/** By Claude home and path. */
type KnownFiles = ReadonlyMap<string, ReadonlyMap<string, FileStamp>>;

export function byHomeAndPath(files: readonly (FileStamp & Pick<FoundFile, 'root' | 'path'>)[]): KnownFiles {
  const homes = new Map<string, Map<string, FileStamp>>();
  for (const file of files) {
    const home = homes.get(file.root);
    if (home === undefined) homes.set(file.root, new Map([[file.path, file]]));
    else home.set(file.path, file);
  }
  return homes;
}

interface Unchanged extends Pick<Discovery, 'roots' | 'skipped'> {
  /** Number of files. */
  readonly files: number;
}

interface ConfirmOptions extends WalkRules {
  /** Null to list all folders. */
  readonly records: FolderRecords | null;
}

/**
 * Compares homes with their known files, which usually answers the question: known files are not classified, unchanged
 * folders are not listed, and the comparison stops at the first difference. Null if a file is new, changed, missing or
 * ignored; a new empty file does not count.
 */
export function confirmUnchanged(
  roots: readonly string[],
  known: KnownFiles,
  options: ConfirmOptions,
): Unchanged | null {
  const homes: Unchanged[] = [];
  for (const root of roots) {
    const files = known.get(root) ?? new Map<string, FileStamp>();
    const home = confirmInSameFolders(root, files, options) ?? confirmByWalk(root, files, options);
    if (home === null) return null;
    homes.push(home);
  }
  return {
    roots: homes.flatMap((home) => home.roots),
    skipped: homes.flatMap(({ skipped }) => skipped),
    files: homes.reduce((sum, { files }) => sum + files, 0),
  };
}

const HISTORY = 'history.jsonl';

/** The history is beside the folders, so it may be new although they are the same. */
function confirmInSameFolders(
  root: string,
  known: ReadonlyMap<string, FileStamp>,
  { records, ignoresProject, scope }: ConfirmOptions,
): Unchanged | null {
  const record = records?.findSame(root, ignoresProject) ?? null;
  if (record?.counts[scope] !== known.size) return null;
  for (const [path, before] of known) {
    const stat = lstatSync(root + sep + path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || !isSame(stampOf(stat), before)) return null;
  }
  const hasNewHistory = scope === 'all' && !known.has(HISTORY) && existsSync(root + sep + HISTORY);
  return hasNewHistory ? null : { roots: [root], skipped: [], files: known.size };
}

function confirmByWalk(root: string, known: ReadonlyMap<string, FileStamp>, options: ConfirmOptions): Unchanged | null {
  let [files, confirmed, transcripts, isChanged] = [0, 0, 0, false];
  // Compared with the times of folders, which come from the same clock.
  const startedMs = Date.now();
  const walk = new HomeWalk(root, options, (path, at, ignoredProject) => {
    const before = known.get(path);
    if (before === undefined && classifyIn(path, options) === null) return true;
    const stat = ignoredProject === null ? walk.stat(path, at) : null;
    if (stat !== null) files += 1;
    if (before === undefined) {
      isChanged = ignoredProject !== null || (stat !== null && stat.size > 0);
    } else {
      confirmed += 1;
      if (options.records !== null && classifyTranscript(path) !== null) transcripts += 1;
      isChanged = stat === null || !isSame(stampOf(stat), before);
    }
    return !isChanged;
  });
  if (!walk.run()) return { roots: [], skipped: [], files: 0 };
  if (isChanged || confirmed < known.size) return null;
  // An unknown file is empty here and could grow without a change to its folder: nothing is remembered then.
  if (options.scope === 'all' && walk.isPlain && walk.skipped.length === 0 && files === confirmed) {
    const counts = { all: confirmed, transcripts };
    options.records?.remember(root, { folders: walk.folders, startedMs, counts });
  }
  return { roots: [root], skipped: walk.skipped, files };
}

function isSame(one: FileStamp, other: FileStamp): boolean {
  return one.sizeBytes === other.sizeBytes && one.mtimeMs === other.mtimeMs && one.inode === other.inode;
}

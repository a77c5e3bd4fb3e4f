import { lstatSync, type Stats, statfsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { type IgnoreProject, TOP_FOLDERS } from './walk-home.ts';

/**
 * Listing the folders of a home takes longer than checking its files. While no folder has changed since a walk that found
 * exactly the known files, no file can have been added, renamed or removed, so only the known files are checked.
 */
interface HomeRecord {
  /** Other versions may archive other files. */
  readonly version: string;
  readonly counts: FileCounts;
  readonly folders: readonly string[];
  /** Of each folder. */
  readonly inodes: readonly number[];
  /** Changes with every entry of a folder; programs that restore files set the mtime back, but cannot set this one. */
  readonly ctimesMs: readonly number[];
}

/** Number of files that the walk found. */
interface FileCounts {
  readonly all: number;
  readonly transcripts: number;
}

type FolderStamps = Pick<HomeRecord, 'folders' | 'inodes' | 'ctimesMs'>;

export interface FolderRecords {
  /** The record of a home, if nothing was added to, renamed in or removed from any of its folders since. */
  findSame(root: string, ignoresProject: IgnoreProject): HomeRecord | null;
  /** Remembers the folders of a walk that started at a given time, if later changes to them can be detected. */
  remember(root: string, walk: { folders: readonly string[]; startedMs: number; counts: FileCounts }): void;
}

const FILE = 'folders.json';

/** Kept in the data folder. Losing them costs a few milliseconds. */
export function openFolderRecords(
  home: string,
  { version, isReadOnly }: { readonly version: string; readonly isReadOnly: boolean },
): FolderRecords {
  const file = join(home, FILE);
  return {
    findSame: (root, ignoresProject) => {
      const record = readRecords(file)[root];
      return record?.version === version && isSame(root, record, ignoresProject) ? record : null;
    },
    remember: (root, { folders, startedMs, counts }) => {
      const stamps = isReadOnly ? null : stampFolders(root, folders, startedMs);
      if (stamps === null) return;
      const record: HomeRecord = { version, counts, ...stamps };
      writePrivateFile(file, JSON.stringify({ ...readRecords(file), [root]: record }));
    },
  };
}

function readRecords(file: string): Readonly<Record<string, HomeRecord>> {
  try {
    return JSON.parse(readTextFile(file) ?? '{}') as Readonly<Record<string, HomeRecord>>;
  } catch {
    return {};
  }
}

const NO_THROW = { throwIfNoEntry: false } as const;
const PROJECT = /^projects\/([^/]+)$/;

function isSame(root: string, { folders, inodes, ctimesMs }: FolderStamps, ignoresProject: IgnoreProject): boolean {
  const missing = new Set<string>(TOP_FOLDERS);
  for (const [at, path] of folders.entries()) {
    const stat = lstatSync(root + sep + path, NO_THROW);
    if (stat === undefined || stat.ino !== inodes[at] || Math.trunc(stat.ctimeMs) !== ctimesMs[at]) return false;
    missing.delete(path);
    const project = PROJECT.exec(path)?.[1];
    if (project !== undefined && ignoresProject(project)) return false;
  }
  return [...missing].every((path) => lstatSync(root + sep + path, NO_THROW) === undefined);
}

/** Time stamps have a resolution of up to two seconds: a change during the walk could get the one from before it. */
const SETTLED_MS = 3_000;

/** Local file systems of Linux, which set the times of a folder whenever its entries change. Network drives may not. */
const RELIABLE_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
]);

/** Null if a folder is a link or has just changed, or if they are on several file systems or an unreliable one. */
function stampFolders(root: string, folders: readonly string[], startedMs: number): FolderStamps | null {
  const stats = folders.flatMap((path) => lstatSync(root + sep + path, NO_THROW) ?? []);
  const [first] = stats;
  if (first === undefined || stats.length < folders.length) return null;
  if (!RELIABLE_FILE_SYSTEMS.has(statfsSync(root + sep + folders[0]).type)) return null;
  const isSettled = ({ ctimeMs }: Stats) => ctimeMs < startedMs - SETTLED_MS;
  if (!stats.every((stat) => stat.isDirectory() && stat.dev === first.dev && isSettled(stat))) return null;
  return {
    folders,
    inodes: stats.map(({ ino }) => ino),
    ctimesMs: stats.map(({ ctimeMs }) => Math.trunc(ctimeMs)),
  };
}

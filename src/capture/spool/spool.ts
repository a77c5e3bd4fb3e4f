import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { errnoOf } from '../../domain/errors.ts';
import type { SpoolEntry, SpoolReader } from '../../domain/event.ts';
import type { Clock } from '../../domain/ports.ts';
import { guardFolder, isOurs, OLD_TEMPORARY_MS, writeNew } from '../../lib/private-file.ts';
import { type DeadLetter, type DeadLetterStats, type DeadLetters, openDeadLetters } from './dead-letters.ts';
import { entryName, readDropped, readName, recordDropped, temporaryName } from './entry-files.ts';

/** The most a hook stores; a payload of exactly this size was truncated. */
export const MAX_ENTRY_BYTES = 64 * 1024;
/** Entries are only pointers: the transcript scan finds whatever is dropped beyond this limit. */
export const MAX_SPOOL_BYTES = 50 * 1024 * 1024;
/** A file takes at least one block, however short it is. */
const BLOCK_BYTES = 512;

export interface SpoolStats extends DeadLetterStats {
  readonly entries: number;
  readonly bytes: number;
  readonly oldest_at: string | null;
  /** Files from a newer version or of unknown origin: left alone. */
  readonly unknown: number;
  /** Hook calls that were lost: no payload, a full disk, or a full spool. */
  readonly dropped: number;
  /** Other users had access to the folder before we restricted it. */
  readonly was_open: boolean;
}

/** The folder that hooks write to, and the entries that were rejected. */
export interface Spool extends SpoolReader {
  /** Puts a payload into the spool, as a hook does. */
  add(payload: object): void;
  deadLetters(): readonly DeadLetter[];
  /** Puts a dead letter back into the spool. False when no letter has that id. */
  retry(id: string): boolean;
  drop(id: string): boolean;
  /** Removes entries and dead letters whose payload matches. */
  forget(matches: (payload: Uint8Array) => boolean): void;
  stats(): SpoolStats;
}

/** Opens the spool of a data folder. Errors: bad_config when the folder is a link or owned by another user. */
export function openSpool(home: string, clock: Clock): Spool {
  const folder = join(home, 'spool');
  const wasOpen = guardFolder(folder);
  const dead = openDeadLetters(join(home, 'dead-letter'), clock);
  return {
    entries: () => listAndSweep(folder, clock),
    read: ({ id }) => readEntry(join(folder, entryName(id))),
    done: (entry) => {
      rmSync(join(folder, entryName(entry.id)), { force: true });
      dead.drop(entry.id);
    },
    reject: (entry, rejection) => {
      const path = join(folder, entryName(entry.id));
      const payload = readEntry(path);
      if (payload === null) return;
      dead.add(entry, payload, rejection);
      rmSync(path, { force: true });
    },
    add: (payload) => add(folder, payload, clock),
    deadLetters: () => listUnretried(folder, dead),
    retry: (id) => retry(folder, dead, id),
    drop: (id) => dead.drop(id),
    forget: (matches) => {
      for (const { id } of list(folder).entries) {
        const path = join(folder, entryName(id));
        const payload = readEntry(path);
        if (payload !== null && matches(payload)) rmSync(path, { force: true });
      }
      for (const { id } of dead.list()) {
        const payload = dead.open(id)?.payload;
        if (payload !== undefined && matches(payload)) dead.drop(id);
      }
    },
    stats: () => ({ ...measure(folder), ...dead.stats(), was_open: wasOpen }),
  };
}

interface Listed extends SpoolEntry {
  readonly mtimeNs: bigint;
  readonly diskBytes: number;
}

interface Listing {
  readonly entries: readonly Listed[];
  readonly temporaries: readonly { readonly path: string; readonly mtimeMs: number }[];
  readonly unknown: number;
}

/** Oldest first, by the hook's clock, or by mtime where that clock only has seconds. */
function listAndSweep(folder: string, clock: Clock): readonly SpoolEntry[] {
  guardFolder(folder);
  const { entries, temporaries } = list(folder);
  const old = clock.now().getTime() - OLD_TEMPORARY_MS;
  for (const { path, mtimeMs } of temporaries) if (mtimeMs < old) rmSync(path, { force: true });
  return dropOldest(folder, entries);
}

function dropOldest(folder: string, entries: readonly Listed[]): readonly Listed[] {
  let bytes = entries.reduce((sum, { diskBytes }) => sum + diskBytes, 0);
  let dropped = 0;
  for (const { id, diskBytes } of entries) {
    if (bytes <= MAX_SPOOL_BYTES) break;
    rmSync(join(folder, entryName(id)), { force: true });
    bytes -= diskBytes;
    dropped++;
  }
  recordDropped(folder, dropped);
  return entries.slice(dropped);
}

function list(folder: string): Listing {
  const entries: Listed[] = [];
  const temporaries: { path: string; mtimeMs: number }[] = [];
  let unknown = 0;
  for (const name of readdirSync(folder)) {
    const named = readName(name);
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined || named.kind === 'note') continue;
    if (named.kind === 'unknown' || !stat.isFile() || !isOurs(Number(stat.uid))) unknown++;
    else if (named.kind === 'temporary') temporaries.push({ path, mtimeMs: Number(stat.mtimeMs) });
    else {
      entries.push({
        id: named.id,
        atMs: named.atMs || Number(stat.mtimeMs),
        sizeBytes: Number(stat.size),
        mtimeNs: stat.mtimeNs,
        diskBytes: Number(stat.blocks) * BLOCK_BYTES,
      });
    }
  }
  return { entries: entries.sort(compareEntries), temporaries, unknown };
}

function compareEntries(a: Listed, b: Listed): number {
  if (a.atMs !== b.atMs) return a.atMs - b.atMs;
  if (a.mtimeNs !== b.mtimeNs) return a.mtimeNs < b.mtimeNs ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function readEntry(path: string): Uint8Array | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, MAX_ENTRY_BYTES));
    return bytes.subarray(0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

function add(folder: string, payload: object, clock: Clock): void {
  const random = randomBytes(6);
  const ms = String(clock.now().getTime()).padStart(13, '0');
  const id = `${ms}-${process.pid}-${random.readUIntBE(0, 6)}`;
  writeNew(
    join(folder, temporaryName(random.toString('hex'))),
    join(folder, entryName(id)),
    Buffer.from(JSON.stringify(payload)),
  );
}

/** Dead letters that have not been put back into the spool. */
function listUnretried(folder: string, dead: DeadLetters): readonly DeadLetter[] {
  const back = new Set(list(folder).entries.map(({ id }) => id));
  return dead.list().filter(({ id }) => !back.has(id));
}

/** The letter stays until its entry is processed, to keep its attempt count. */
function retry(folder: string, dead: DeadLetters, id: string): boolean {
  const letter = dead.open(id);
  if (letter === null) return false;
  const temporary = join(folder, temporaryName(`retry-${randomBytes(6).toString('hex')}`));
  const path = join(folder, entryName(id));
  writeNew(temporary, path, letter.payload);
  // When the name does not contain the time, the mtime does.
  if (letter.at !== null) utimesSync(path, letter.at, letter.at);
  return true;
}

function measure(folder: string) {
  const { entries, unknown } = list(folder);
  const [oldest] = entries;
  return {
    entries: entries.length,
    bytes: entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    oldest_at: oldest === undefined ? null : new Date(oldest.atMs).toISOString(),
    unknown,
    dropped: readDropped(folder),
  };
}

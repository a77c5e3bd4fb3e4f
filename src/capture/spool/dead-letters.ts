import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../domain/durations.ts';
import type { Rejection, RejectReason, SpoolEntry } from '../../domain/event.ts';
import type { Clock } from '../../domain/ports.ts';
import { guardFolder, namesIn, readTextFile, writeNew } from '../../lib/private-file.ts';
import { entryName, isEntryId, readDropped, readName, recordDropped, temporaryName } from './entry-files.ts';

export const MAX_AGE_DAYS = 90;
export const MAX_DEAD_LETTER_BYTES = 100 * 1024 * 1024;
/** How much may be added before the folder is measured again; measuring reads every letter's metadata. */
const UNMEASURED_BYTES = 1024 * 1024;
const UNMEASURED_LETTERS = 500;

/** An entry that can never become an event, with the reason. */
export interface DeadLetter {
  readonly id: string;
  readonly reason: RejectReason;
  readonly detail: string;
  readonly rejected_at: string;
  readonly attempts: number;
  readonly size_bytes: number;
}

interface Envelope extends DeadLetter {
  readonly encoding: 'utf8' | 'base64';
  readonly payload: string;
  /** Time of the hook call; older versions did not store it. */
  readonly at_ms?: number;
}

export interface DeadLetterStats {
  readonly dead_letters: number;
  readonly dead_letter_bytes: number;
  /** Letters dropped because of age or total size. */
  readonly dead_letters_dropped: number;
}

export interface DeadLetters {
  add(entry: SpoolEntry, payload: Uint8Array, rejection: Rejection): void;
  /** Oldest first. */
  list(): readonly DeadLetter[];
  /** The payload of the hook call and its time. Null when there is no such letter. */
  open(id: string): { readonly payload: Uint8Array; readonly at: Date | null } | null;
  drop(id: string): boolean;
  stats(): DeadLetterStats;
}

/** Opens a folder with one file per letter, limited by age and size. The folder is created with the first letter. */
export function openDeadLetters(folder: string, clock: Clock): DeadLetters {
  dropBeyondBounds(folder, clock);
  let unmeasuredBytes = 0;
  let unmeasuredLetters = 0;
  const pathOf = (id: string) => join(folder, entryName(id));
  return {
    add: (entry, payload, rejection) => {
      guardFolder(folder);
      const attempts = (readEnvelope(pathOf(entry.id))?.attempts ?? 0) + 1;
      const bytes = Buffer.from(sealEnvelope(entry, payload, { ...rejection, attempts, now: clock.now() }));
      writeNew(join(folder, temporaryName(randomBytes(6).toString('hex'))), pathOf(entry.id), bytes);
      unmeasuredBytes += bytes.length;
      if (unmeasuredBytes < UNMEASURED_BYTES && ++unmeasuredLetters < UNMEASURED_LETTERS) return;
      dropBeyondBounds(folder, clock);
      unmeasuredBytes = 0;
      unmeasuredLetters = 0;
    },
    list: () =>
      listFiles(folder)
        .map(({ path }) => readEnvelope(path))
        .filter((envelope) => envelope !== null)
        .map(({ encoding: _encoding, payload: _payload, at_ms: _atMs, ...letter }) => letter),
    open: (id) => {
      const envelope = isEntryId(id) ? readEnvelope(pathOf(id)) : null;
      if (envelope === null) return null;
      const { payload, encoding, at_ms } = envelope;
      return { payload: Buffer.from(payload, encoding), at: at_ms === undefined ? null : new Date(at_ms) };
    },
    drop: (id) => {
      if (!isEntryId(id) || statSync(pathOf(id), { throwIfNoEntry: false }) === undefined) return false;
      rmSync(pathOf(id), { force: true });
      return true;
    },
    stats: () => {
      const files = listFiles(folder);
      return {
        dead_letters: files.length,
        dead_letter_bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        dead_letters_dropped: readDropped(folder),
      };
    },
  };
}

interface LetterFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

function listFiles(folder: string): LetterFile[] {
  return namesIn(folder)
    .filter((name) => readName(name).kind === 'entry')
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ path, sizeBytes: stat.size, mtimeMs: stat.mtimeMs }] : [];
    })
    .sort((a, b) => a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : 1));
}

function dropBeyondBounds(folder: string, clock: Clock): void {
  const files = listFiles(folder);
  const oldest = clock.now().getTime() - MAX_AGE_DAYS * DAY_MS;
  let bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const beyond = files.filter(({ sizeBytes, mtimeMs }) => {
    const isBeyond = bytes > MAX_DEAD_LETTER_BYTES || mtimeMs < oldest;
    if (isBeyond) bytes -= sizeBytes;
    return isBeyond;
  });
  for (const { path } of beyond) rmSync(path, { force: true });
  recordDropped(folder, beyond.length);
}

function sealEnvelope(
  { id, atMs }: SpoolEntry,
  payload: Uint8Array,
  { reason, detail, attempts, now }: Rejection & { readonly attempts: number; readonly now: Date },
): string {
  const text = Buffer.from(payload).toString();
  const encoding = Buffer.from(text).equals(payload) ? 'utf8' : 'base64';
  const envelope: Envelope = {
    id,
    reason,
    detail,
    at_ms: atMs,
    rejected_at: now.toISOString(),
    attempts,
    size_bytes: payload.length,
    encoding,
    payload: encoding === 'utf8' ? text : Buffer.from(payload).toString('base64'),
  };
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

/** Null when the file is gone or not one of our envelopes. */
function readEnvelope(path: string): Envelope | null {
  try {
    const envelope = JSON.parse(readTextFile(path) ?? 'null') as Envelope | null;
    return typeof envelope?.id === 'string' && typeof envelope.payload === 'string' ? envelope : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

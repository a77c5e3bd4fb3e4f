import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { FINGERPRINT_BYTES, sha256Hex } from '../lib/sha256.ts';
import type { FoundFile } from './discover.ts';

/** Bytes are archived in segments of at most this size, so memory use does not depend on the file's size. */
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** Replaces a file's bytes before they are archived; the length stays the same. */
export type BlankOut = (bytes: Uint8Array) => Uint8Array;

/** The archived state of a file; enough to check whether a longer file starts with the archived bytes. */
export interface Checkpoint {
  readonly archivedBytes: number;
  readonly headSha256: string;
  readonly tailSha256: string;
}

interface Segment {
  readonly startOffset: number;
  readonly bytes: Uint8Array;
}

export interface NewBytes {
  /** The file no longer starts with the archived bytes, so these start a new generation at offset 0. */
  readonly isNewGeneration: boolean;
  readonly checkpoint: Checkpoint;
  /** Hash of the whole file; null after an append, since only the new bytes were read. */
  readonly sha256: string | null;
}

/**
 * Passes on the bytes of a file that are not archived yet, in order, and returns the file's new state. Reads up to the
 * size at opening; later bytes are left for the next run. Null when the path is no longer a regular file. `take` returns
 * the SHA-256 of a segment if it has computed it, so that a file of one segment is hashed once.
 */
export async function readNewBytes(
  file: FoundFile,
  known: Checkpoint | null,
  take: (segment: Segment) => Promise<string | null>,
  blank: BlankOut | null = null,
): Promise<NewBytes | null> {
  const handle = await openBlanked(file.absolutePath, blank);
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    const continues = known !== null && (await beginsWith(handle, size, known));
    const from = continues ? known.archivedBytes : 0;
    const hash = createHash('sha256');
    let last: Segment | null = null;
    let whole: string | null = null;
    const end = await readSegments(handle, from, size, async (segment) => {
      last = segment;
      const sha256 = await take(segment);
      if (sha256 !== null && segment.bytes.length === size) whole = sha256;
      else if (from === 0) hash.update(segment.bytes);
    });
    return {
      isNewGeneration: !continues,
      checkpoint: fingerprintOfWhole(last, end) ?? (await fingerprint(handle, end)),
      sha256: from === 0 ? (whole ?? hash.digest('hex')) : null,
    };
  } finally {
    await handle.close();
  }
}

/** Hashes the first `sizeBytes` of a file and ignores what was appended since. Null when the file no longer exists. */
export async function hashFile(
  path: string | Buffer,
  sizeBytes: number,
  blank: BlankOut | null = null,
): Promise<string | null> {
  const handle = await openBlanked(path, blank);
  if (handle === null) return null;
  try {
    const hash = createHash('sha256');
    await readSegments(handle, 0, sizeBytes, async ({ bytes }) => {
      hash.update(bytes);
    });
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

/** The bytes that are read from a file. */
type Reader = Pick<FileHandle, 'close'> & {
  stat(): Promise<{ readonly size: number }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
};

/** To blank anything, the whole file is read first: shared files are small. */
async function openBlanked(path: string | Buffer, blank: BlankOut | null): Promise<Reader | null> {
  const handle = await openRegular(path);
  if (handle === null || blank === null) return handle;
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.from(blank(await readRange(handle, 0, size)));
    return {
      close: async () => {},
      stat: async () => ({ size: bytes.length }),
      read: async (buffer, offset, length, position) => ({
        bytesRead: bytes.copy(buffer, offset, position, position + length),
      }),
    };
  } finally {
    await handle.close();
  }
}

/** Does not follow links and does not block: a FIFO named like a transcript must not stop us. */
async function openRegular(path: string | Buffer): Promise<FileHandle | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return null;
    throw error;
  }
}

async function beginsWith(handle: Reader, size: number, known: Checkpoint): Promise<boolean> {
  if (size < known.archivedBytes) return false;
  const now = await fingerprint(handle, known.archivedBytes);
  return now.headSha256 === known.headSha256 && now.tailSha256 === known.tailSha256;
}

/** Most files are read in one piece; the bytes that their fingerprint needs are then in memory. */
function fingerprintOfWhole(segment: Segment | null, end: number): Checkpoint | null {
  if (segment?.startOffset !== 0 || segment.bytes.length !== end) return null;
  const window = Math.min(FINGERPRINT_BYTES, end);
  const { bytes } = segment;
  const head = sha256Hex(bytes.subarray(0, window));
  return { archivedBytes: end, headSha256: head, tailSha256: sha256Hex(bytes.subarray(end - window)) };
}

async function fingerprint(handle: Reader, end: number): Promise<Checkpoint> {
  const window = Math.min(FINGERPRINT_BYTES, end);
  const head = await readRange(handle, 0, window);
  const tail = await readRange(handle, end - window, window);
  return { archivedBytes: end, headSha256: sha256Hex(head), tailSha256: sha256Hex(tail) };
}

async function readSegments(
  handle: Reader,
  from: number,
  size: number,
  take: (segment: Segment) => Promise<void>,
): Promise<number> {
  let at = from;
  while (at < size) {
    const bytes = await readRange(handle, at, Math.min(SEGMENT_BYTES, size - at));
    if (bytes.length === 0) break;
    await take({ startOffset: at, bytes });
    at += bytes.length;
  }
  return at;
}

/** Returns up to `length` bytes; fewer when the file has been truncated. */
export async function readRange(handle: Reader, from: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

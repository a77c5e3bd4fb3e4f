import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errnoOf, FuelError, fileReasonOf, toFuelError } from '../../domain/errors.ts';
import type { BlobStat, BlobStore } from '../../domain/ports.ts';
import {
  addressForUpload,
  addressOfStoredPath,
  compress,
  compressHere,
  decompressVerified,
  missing,
  storedPath,
} from './content-address.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

interface DiskBlobsOptions {
  readonly root: string;
  /** Called before each use; throws when the folder was replaced by another one. */
  readonly check?: () => void;
  /** For a thread that no request waits for. */
  readonly compressesHere?: boolean;
}

/** Stores blobs as files `<root>/ab/<sha256>.zst`. Several processes can share one root. */
export function openDiskBlobs({ root: given, check = () => {}, compressesHere = false }: DiskBlobsOptions): BlobStore {
  const root = resolve(given);
  const pack = compressesHere ? compressHere : compress;
  const pathOf = (sha256: string) => {
    check();
    return join(root, storedPath(sha256));
  };
  return {
    put: async (bytes, expectedSha256) => putBlob({ root, bytes, expectedSha256, check, pack }),
    get: async (sha256) => (await readBlob(pathOf(sha256), sha256)).content,
    has: async (sha256) => exists(pathOf(sha256)),
    delete: async (sha256) => deleteFile(pathOf(sha256)),
    list: () => listBlobs(root),
    close: async () => {},
  };
}

async function putBlob(request: {
  readonly root: string;
  readonly bytes: Uint8Array;
  readonly expectedSha256: string | undefined;
  readonly check: () => void;
  readonly pack: typeof compress;
}): Promise<BlobStat> {
  const { root, bytes, expectedSha256, check, pack } = request;
  const sha256 = addressForUpload(bytes, expectedSha256);
  const path = join(root, storedPath(sha256));
  check();
  try {
    const storedBytes = (await intactSizeBytes(path, sha256)) ?? (await writeBlob(path, () => pack(bytes), check));
    return { sha256, sizeBytes: bytes.byteLength, storedBytes };
  } catch (error) {
    throw diskUnavailable(error, { act: 'store', path });
  }
}

/** Size of the stored blob; undefined when it is missing or damaged and must be written. */
async function intactSizeBytes(path: string, sha256: string): Promise<number | undefined> {
  try {
    const { storedBytes } = await readBlob(path, sha256);
    // Another process may have just renamed it and not synced the folder yet.
    await syncFolder(dirname(path));
    return storedBytes;
  } catch (error) {
    if (error instanceof FuelError) return undefined;
    throw error;
  }
}

async function writeBlob(path: string, pack: () => Promise<Uint8Array>, check: () => void): Promise<number> {
  const compressed = await pack();
  // Checked right before the folders are created.
  check();
  await ensureFolder(dirname(path));
  await writeAtomically(path, compressed);
  return compressed.byteLength;
}

/** A reader, or a crash at any moment, sees the complete file or none. */
async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(12).toString('hex')}.tmp`);
  try {
    await writeDurably(temporary, bytes);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch((second: unknown) => {
      throw Object.assign(new AggregateError([error, second], 'write and clean-up failed'), { code: errnoOf(error) });
    });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE);
  try {
    // open() applies the umask to the mode; chmod does not.
    await file.chmod(FILE_MODE);
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Not mkdir with `recursive`: it reports ENOENT on a read-only disk and applies the umask to the modes. */
async function ensureFolder(folder: string): Promise<void> {
  if (await exists(folder)) return;
  await ensureFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: FOLDER_MODE });
    await chmod(folder, FOLDER_MODE);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  await syncFolder(dirname(folder));
}

/** Makes created, renamed and removed names survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readBlob(path: string, sha256: string): Promise<{ content: Uint8Array; storedBytes: number }> {
  const stored = await readFile(path).catch((error: unknown) => {
    throw errnoOf(error) === 'ENOENT' ? missing(sha256, error) : diskUnavailable(error, { act: 'read', path });
  });
  return { content: await decompressVerified(stored, sha256), storedBytes: stored.byteLength };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw diskUnavailable(error, { act: 'read', path });
  }
}

async function deleteFile(path: string): Promise<void> {
  try {
    if (!(await exists(path))) return;
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  } catch (error) {
    throw diskUnavailable(error, { act: 'delete', path });
  }
}

async function* listBlobs(root: string): AsyncGenerator<string> {
  for (const folder of await namesIn(root)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await namesIn(join(root, folder))) {
      const sha256 = addressOfStoredPath(`${folder}/${name}`);
      if (sha256 !== undefined) yield sha256;
    }
  }
}

/** A missing folder counts as empty. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw diskUnavailable(error, { act: 'list', path: folder });
  }
}

/** Turns a file system error into blob_unavailable; FuelErrors pass unchanged, a defect becomes `internal`. */
export function diskUnavailable(error: unknown, doing: { readonly act: string; readonly path: string }): FuelError {
  if (error instanceof FuelError || errnoOf(error) === undefined) return toFuelError(error);
  const { why, hint } = fileReasonOf(error);
  return new FuelError('blob_unavailable', `Could not ${doing.act} ${doing.path}: ${why}.`, { hint, cause: error });
}

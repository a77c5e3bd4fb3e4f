import { promisify } from 'node:util';
import { constants, type ZstdOptions, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';
import { FuelError } from '../../domain/errors.ts';
import { sha256Hex } from '../../lib/sha256.ts';

/** Blobs are held in memory as a whole; a damaged frame must not make a reader allocate more than this. */
const MAX_BLOB_BYTES = 1024 ** 3;
const ZSTD_LEVEL = 3;
const ADDRESS = /^[0-9a-f]{64}$/;
const STORED_NAME = /^[0-9a-f]{64}\.zst$/;

// Looked up on each call: most commands touch no blob, and the built-in module takes a while to load.
const compressFrame = (bytes: Uint8Array, options: ZstdOptions) => promisify(zstdCompress)(bytes, options);
const decompressFrame = (bytes: Uint8Array, options: ZstdOptions) => promisify(zstdDecompress)(bytes, options);

/** The path of a blob below the root of its store, `ab/<sha256>.zst`. Error: usage for an invalid address. */
export function storedPath(sha256: string): string {
  ensureAddress(sha256);
  return `${sha256.slice(0, 2)}/${sha256}.zst`;
}

/** The address in a path made by `storedPath`; undefined for any other path (temporary or foreign files). */
export function addressOfStoredPath(path: string): string | undefined {
  const [folder = '', name = '', ...rest] = path.split('/');
  const fits = rest.length === 0 && STORED_NAME.test(name) && name.startsWith(folder) && folder.length === 2;
  return fits ? name.slice(0, 64) : undefined;
}

/** Only a valid address may become a path or a key. */
function ensureAddress(sha256: string): void {
  if (ADDRESS.test(sha256)) return;
  throw new FuelError('usage', `${JSON.stringify(sha256.slice(0, 80))} is not a valid blob address.`, {
    hint: 'A blob address is the SHA-256 of the content: 64 lower-case hex digits.',
  });
}

/** Computes the address of bytes to store. Errors: blob_corrupt when it is not the expected one; too_large; usage. */
export function addressForUpload(bytes: Uint8Array, expectedSha256?: string): string {
  if (bytes.byteLength > MAX_BLOB_BYTES) throw tooLarge(bytes.byteLength);
  const sha256 = sha256Hex(bytes);
  if (expectedSha256 === undefined || expectedSha256 === sha256) return sha256;
  ensureAddress(expectedSha256);
  throw new FuelError(
    'blob_corrupt',
    `Expected bytes with SHA-256 ${expectedSha256} but received ${sha256}. Nothing was stored.`,
    { hint: 'Send them again. If it happens again, the file was probably being written while it was read.' },
  );
}

const MIN_PIECE_BYTES = 16 * 1024;
const MAX_PIECE_BYTES = 2 * 1024 * 1024;

/** zlib returns its output in pieces; each costs a round through the event loop. */
function pieceBytes(expected: number): number {
  return Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, Math.ceil(expected)));
}

/** Compresses in the background. */
export async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  return compressFrame(bytes, compressionOf(bytes));
}

/** Compresses in this thread, which takes less time and memory in all. */
export async function compressHere(bytes: Uint8Array): Promise<Uint8Array> {
  return zstdCompressSync(bytes, compressionOf(bytes));
}

function compressionOf(bytes: Uint8Array): ZstdOptions {
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
  return { params, chunkSize: pieceBytes(bytes.length / 4) };
}

/** Decompresses a stored frame. Error: blob_corrupt when that fails or the content has another address. */
export async function decompressVerified(stored: Uint8Array, sha256: string): Promise<Uint8Array> {
  const options = { maxOutputLength: MAX_BLOB_BYTES, chunkSize: pieceBytes(stored.length * 4) };
  const content = await decompressFrame(stored, options).catch((cause: unknown) => {
    throw corrupt(sha256, 'cannot be unpacked', cause);
  });
  const actual = sha256Hex(content);
  if (actual !== sha256) throw corrupt(sha256, `now have the SHA-256 ${actual}`);
  return content;
}

export function corrupt(sha256: string, why: string, cause?: unknown): FuelError {
  return new FuelError('blob_corrupt', `The stored bytes of blob ${sha256} are damaged: they ${why}.`, {
    hint: 'Run `fuel-code verify --heal`, or restore the blob from a backup.',
    cause,
  });
}

export function missing(sha256: string, cause?: unknown): FuelError {
  return new FuelError('blob_missing', `Blob ${sha256} is not in the archive; it was deleted or never stored.`, {
    hint: 'Run `fuel-code verify --heal`, or restore the blob from a backup.',
    cause,
  });
}

/** The archive does not have the bytes of a blob, or not intact ones. */
export function isBlobLost(error: unknown): boolean {
  return error instanceof FuelError && (error.code === 'blob_corrupt' || error.code === 'blob_missing');
}

function tooLarge(sizeBytes: number): FuelError {
  return new FuelError('too_large', `A blob of ${sizeBytes} bytes exceeds the limit of ${MAX_BLOB_BYTES} bytes.`, {
    hint: 'Store it in smaller segments.',
  });
}

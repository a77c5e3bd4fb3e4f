import { randomBytes } from 'node:crypto';
import { HOUR_MS } from '../domain/durations.ts';
import type { BlobStore } from '../domain/ports.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { Engine } from '../store/engine.ts';
import {
  closeShare,
  deleteShare,
  findDeadShares,
  findLiveShare,
  findShareId,
  listSharedFiles,
  listShareParts,
} from '../store/queries/people/shares.ts';

export interface SharedPage {
  readonly sizeBytes: number;
  read(): AsyncGenerator<Uint8Array>;
}

/** The page behind a link; null for an invalid, unknown or expired link, without distinguishing them. */
export async function openShare(
  { engine, blobs, now }: Deps & { readonly now: () => Date },
  token: string,
): Promise<SharedPage | null> {
  if (!isToken(token)) return null;
  const share = await findLiveShare(engine.kysely, hashToken(token), now().toISOString());
  if (share === null) return null;
  const parts = await listShareParts(engine.kysely, share.id);
  return { sizeBytes: share.size_bytes, read: () => readParts(blobs, parts) };
}

/** The parts of a stored page. */
export async function* readShare({ engine, blobs }: Deps, id: string): AsyncGenerator<Uint8Array> {
  yield* readParts(blobs, await listShareParts(engine.kysely, id));
}

async function* readParts(blobs: BlobStore, parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const sha256 of parts) yield (await blobs.get(sha256)).subarray(SALT_BYTES);
}

interface Deps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
}

/**
 * Disables the link first, then deletes the page and finally its row, so that a crash never leaves blobs that cannot be
 * found.
 */
export async function removeShare({ engine, blobs }: Deps, id: string): Promise<void> {
  await closeShare(engine.kysely, id);
  for (const sha256 of await listShareParts(engine.kysely, id)) await blobs.delete(sha256);
  await deleteShare(engine.kysely, id);
}

/** Errors: not_found, ambiguous. */
export async function revokeShare(deps: Deps, idOrPrefix: string): Promise<void> {
  await removeShare(deps, await findShareId(deps.engine.kysely, idOrPrefix));
}

export interface SweepDeps extends Deps {
  readonly now: () => Date;
  /** Ignored projects must not be shared either. */
  readonly ignoresProject: (folderName: string) => boolean;
}

/** A page not finished by then has been abandoned. */
const MAX_MAKING_MS = HOUR_MS;

/** Removes every expired, abandoned or ignored page and returns their number. */
export async function sweepShares(deps: SweepDeps): Promise<number> {
  const now = deps.now();
  const begunBefore = new Date(now.getTime() - MAX_MAKING_MS).toISOString();
  const dead = await findDeadShares(deps.engine.kysely, { now: now.toISOString(), begunBefore });
  const ignored = (await listSharedFiles(deps.engine.kysely)).filter(({ path }) => isIgnored(path, deps));
  const ids = new Set([...dead, ...ignored.map(({ shareId }) => shareId)]);
  for (const id of ids) await removeShare(deps, id);
  return ids.size;
}

/** `projects/<folder>/<session>.jsonl` */
function isIgnored(path: string, { ignoresProject }: SweepDeps): boolean {
  return ignoresProject(path.split('/')[1] ?? '');
}

/** 128 bits: guessing one at a million attempts per second would take longer than the age of the universe. */
const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;

export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Only the hash of a token is stored, so that access to the database does not give access to links. */
export function hashToken(token: string): string {
  return sha256Hex(token);
}

/** Length of the random prefix of every stored part of a page. */
export const SALT_BYTES = 16;

import type { BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import {
  closeShare,
  deleteShare,
  findDeadShares,
  findShareId,
  listSharedFiles,
  listShareParts,
} from '../store/queries/people/shares.ts';
import { HOUR_MS } from '../domain/durations.ts';

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

import { findRepository } from '../capture/git/find-repository.ts';
import { readLogStamp } from '../capture/git/log-stamp.ts';
import type { Engine } from '../store/engine.ts';
import { listLooks, listRepositoryRoots } from '../store/queries/git/repository-looks.ts';

/**
 * Whether the logs of a known repository have changed since they were last read. One that was never read has news: the
 * import that would have read it was stopped before its end.
 */
export async function hasNewActivity({ kysely }: Engine, deviceId: string): Promise<boolean> {
  const stamps = new Map((await listLooks(kysely, deviceId)).map(({ commonDir, stamp }) => [commonDir, stamp]));
  const roots = await listRepositoryRoots(kysely, deviceId);
  const known = new Set([...stamps.keys(), ...roots.flatMap((root) => findRepository(root)?.commonDir ?? [])]);
  return [...known].some((commonDir) => {
    const now = readLogStamp(commonDir);
    return now !== null && now !== stamps.get(commonDir);
  });
}

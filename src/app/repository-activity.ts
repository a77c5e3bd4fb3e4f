import { findRepository } from '../capture/git/find-repository.ts';
import { readLogStamp } from '../capture/git/log-stamp.ts';
import type { GitReader } from '../capture/git/read-activity.ts';
import { GRACE_MS } from '../domain/git-correlation.ts';
import type { Engine } from '../store/engine.ts';
import { storeRepositoryActivity } from '../store/queries/git/git-activity.ts';
import {
  type KnownRepository,
  listActivityIds,
  listKnownRepositories,
  listLooks,
  reopenAfterGrace,
  saveLook,
} from '../store/queries/git/repository-looks.ts';
import { nameActivity } from '../store/queries/git/save-git.ts';

interface Deps {
  readonly engine: Engine;
  readonly deviceId: string;
  readonly reader: GitReader;
  readonly now: () => Date;
}

/**
 * What happened in known repositories since their logs were last read, whether a session ran or not: commits right after
 * a session find it, others are shown between sessions. A repository whose logs have not changed costs a few looks.
 */
export async function collectRepositories(deps: Deps, signal: AbortSignal): Promise<void> {
  const { engine, deviceId } = deps;
  await reopenAfterGrace(engine.kysely, deviceId, deps.now());
  const looks = new Map((await listLooks(engine.kysely, deviceId)).map(({ commonDir, stamp }) => [commonDir, stamp]));
  const done = new Set<string>();
  for (const known of await listKnownRepositories(engine.kysely, deviceId)) {
    if (signal.aborted) return;
    const commonDir = findRepository(known.root)?.commonDir;
    if (commonDir === undefined || done.has(commonDir)) continue;
    done.add(commonDir);
    const stamp = readLogStamp(commonDir);
    if (stamp === null || stamp === looks.get(commonDir)) continue;
    await readNew(deps, known);
    // The stamp of before the reading: what came meanwhile is read next time.
    await saveLook(engine.kysely, deviceId, { commonDir, stamp }, deps.now().toISOString());
  }
}

async function readNew({ engine, deviceId, reader, now }: Deps, known: KnownRepository): Promise<void> {
  const ids = await listActivityIds(engine.kysely, deviceId, known.workspaceId);
  const answer = await reader.readGitActivity({
    repo: known.root,
    since: known.since,
    until: new Date(now().getTime() + GRACE_MS).toISOString(),
    isLogsOnly: true,
    isKnown: (activity) => ids.has(nameActivity(deviceId, activity).id),
  });
  if (answer === null || answer.activities.length === 0) return;
  const repository = { workspace: known.workspace, activities: answer.activities };
  await storeRepositoryActivity(engine, { deviceId, repository }, now().toISOString());
}

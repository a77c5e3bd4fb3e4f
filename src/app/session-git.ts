import { collectFolderActivity, collectGitActivity } from '../capture/git/collect-activity.ts';
import { createGitReader, type GitReader } from '../capture/git/read-activity.ts';
import { readLogStamp } from '../capture/git/reflog.ts';
import { findRepository } from '../capture/git/repository.ts';
import { createGitRunner } from '../capture/git/run-git.ts';
import { createWorkspaceResolver, type WorkspaceResolver } from '../capture/workspace.ts';
import type { RepositoryActivity, SessionGit as SessionGitActivity } from '../domain/git.ts';
import { GRACE_MS } from '../domain/git-correlation.ts';
import type { Clock } from '../domain/ports.ts';
import type { CollectGuards } from '../pipeline/correlate-session.ts';
import type { MaskingDeps } from '../pipeline/masking.ts';
import { storeRepositoryActivity, storeSessionGit } from '../store/queries/git/git-activity.ts';
import { loadGitSessions, withShellCalls } from '../store/queries/git/git-input.ts';
import {
  type KnownRepository,
  listActivityIds,
  listGitNotes,
  listKnownRepositories,
  listScans,
  reopenAfterGrace,
  saveScan,
} from '../store/queries/git/repository-scans.ts';
import { nameActivity } from '../store/queries/git/save-git.ts';
import { loadFolders } from '../store/queries/workspaces/workspaces.ts';
import { maskRepositories } from './masking.ts';

export interface SessionGitDeps extends MaskingDeps {
  readonly clock: Clock;
  readonly device: { readonly id: string };
}

/** Workspaces and git activity for one run: known folders are loaded once, and results are cached until the end. */
export interface SessionGit {
  readonly workspaces: WorkspaceResolver;
  /** Finds the commits of sessions and stores them together. */
  collectGit(sessionIds: readonly string[], guards: CollectGuards): Promise<void>;
  /** Reads activity that git hooks have reported since this time. */
  collectNotes(ingestedSince: string): Promise<void>;
  /** Reads new log entries of every repository that sessions of this machine worked in. */
  collectRepositories(signal: AbortSignal): Promise<void>;
}

export async function openSessionGit({ engine, masking, clock, device }: SessionGitDeps): Promise<SessionGit> {
  const masked = (found: readonly RepositoryActivity[]) => maskRepositories({ engine, masking }, found);
  const git = createGitRunner();
  const deviceId = device.id;
  const workspaces = createWorkspaceResolver({ deviceId, git, remembered: await loadFolders(engine.kysely, deviceId) });
  const reader = createGitReader(git);
  const now = () => clock.now().toISOString();
  const deps = { deviceId, workspaces, reader };
  return {
    workspaces,
    collectGit: async (sessionIds, { hold, checkpoint }) => {
      const found: SessionGitActivity[] = [];
      for (const listed of await loadGitSessions(engine.kysely, sessionIds)) {
        checkpoint();
        const session = await withShellCalls(engine.kysely, listed);
        // The folders of another device are not on this disk, even if a path exists here: use its tool calls only.
        const folders = listed.deviceId === deviceId ? session.folders : [];
        const git = await collectGitActivity(deps, { ...session, folders }, now());
        found.push({ ...git, repositories: await masked(git.repositories) });
      }
      await storeSessionGit(engine, found, now(), hold);
    },
    collectRepositories: (signal) =>
      collectRepositories({ engine, masking, deviceId, reader, now: () => clock.now() }, signal),
    collectNotes: async (ingestedSince) => {
      for (const { cwd, since, until } of await listGitNotes(engine.kysely, { deviceId, since: ingestedSince })) {
        const span = { since, until: new Date(Date.parse(until) + GRACE_MS).toISOString() };
        const repository = await collectFolderActivity(deps, { cwd, ...span });
        for (const one of await masked(repository === null ? [] : [repository])) {
          await storeRepositoryActivity(engine, { deviceId, repository: one }, now());
        }
      }
    },
  };
}

interface RepositoryDeps extends MaskingDeps {
  readonly deviceId: string;
  readonly reader: GitReader;
  readonly now: () => Date;
}

/**
 * Reads new git activity of known repositories, with or without a running session: commits right after a session are
 * linked to it, others are shown between sessions. Unchanged logs cost only a few stat calls.
 */
export async function collectRepositories(deps: RepositoryDeps, signal: AbortSignal): Promise<void> {
  const { engine, deviceId } = deps;
  await reopenAfterGrace(engine.kysely, deviceId, deps.now());
  const stamps = new Map((await listScans(engine.kysely, deviceId)).map(({ commonDir, stamp }) => [commonDir, stamp]));
  const done = new Set<string>();
  for (const known of await listKnownRepositories(engine.kysely, deviceId)) {
    if (signal.aborted) return;
    const commonDir = findRepository(known.root)?.commonDir;
    if (commonDir === undefined || done.has(commonDir)) continue;
    done.add(commonDir);
    const stamp = readLogStamp(commonDir);
    if (stamp === null || stamp === stamps.get(commonDir)) continue;
    await readNew(deps, known);
    // The stamp from before reading, so that activity that arrived meanwhile is read next time.
    await saveScan(engine.kysely, deviceId, { commonDir, stamp }, deps.now().toISOString());
  }
}

async function readNew(deps: RepositoryDeps, known: KnownRepository): Promise<void> {
  const { engine, deviceId, reader, now } = deps;
  const ids = await listActivityIds(engine.kysely, deviceId, known.workspaceId);
  const answer = await reader.readGitActivity({
    repo: known.root,
    since: known.since,
    until: new Date(now().getTime() + GRACE_MS).toISOString(),
    isLogsOnly: true,
    isKnown: (activity) => ids.has(nameActivity(deviceId, activity).id),
  });
  if (answer === null || answer.activities.length === 0) return;
  const found = [{ workspace: known.workspace, activities: answer.activities }];
  for (const repository of await maskRepositories(deps, found)) {
    await storeRepositoryActivity(engine, { deviceId, repository }, now().toISOString());
  }
}

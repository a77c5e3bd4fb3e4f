import { collectFolderActivity, collectGitActivity } from '../capture/git/collect-activity.ts';
import { createGitReader } from '../capture/git/read-activity.ts';
import { createGitRunner } from '../capture/git/run-git.ts';
import { createWorkspaceResolver, type WorkspaceResolver } from '../capture/workspace.ts';
import type { SessionGit as SessionGitActivity } from '../domain/git.ts';
import { GRACE_MS } from '../domain/git-correlation.ts';
import type { Clock } from '../domain/ports.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { loadSessionOwner } from '../store/queries/devices/devices.ts';
import {
  storeRepositoryActivity,
  storeSessionGit,
  listGitNotes,
  loadShellCalls,
} from '../store/queries/git/git-activity.ts';
import { loadGitSession } from '../store/queries/git/git-input.ts';
import { loadFolders } from '../store/queries/workspaces/workspaces.ts';
import { collectRepositories } from './repository-activity.ts';

export interface SessionGitDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly device: { readonly id: string };
}

type Hold = (tx: Tx) => Promise<void>;

/** Workspaces and git, for one run: what is remembered of folders is loaded once, what is read is kept until its end. */
export interface SessionGit {
  readonly workspaces: WorkspaceResolver;
  /** From a session's current rows to its commits; `hold` comes before the first write. */
  collectGit(sessionId: string, hold: Hold): Promise<void>;
  /** Reads what git hooks have noted since then. */
  collectNotes(ingestedSince: string): Promise<void>;
  /** Reads what is new in the logs of every repository that sessions of this machine worked in. */
  collectRepositories(signal: AbortSignal): Promise<void>;
}

export async function openSessionGit({ engine, clock, device }: SessionGitDeps): Promise<SessionGit> {
  const git = createGitRunner();
  const deviceId = device.id;
  const workspaces = createWorkspaceResolver({ deviceId, git, remembered: await loadFolders(engine.kysely, deviceId) });
  const reader = createGitReader(git);
  const now = () => clock.now().toISOString();
  const deps = {
    deviceId,
    workspaces,
    reader,
    loadShellCalls: (sessionId: string) => loadShellCalls(engine.kysely, sessionId),
  };
  return {
    workspaces,
    collectGit: async (sessionId, hold) => {
      const question = await loadGitSession(engine.kysely, sessionId);
      if (question === null) return;
      const owner = await loadSessionOwner(engine.kysely, sessionId);
      // The folders of another device are not on this disk, even if a path exists here: use its tool calls only.
      const folders = owner?.deviceId === deviceId ? question.folders : [];
      const keep = (found: SessionGitActivity) => storeSessionGit(engine, found, now(), hold);
      await collectGitActivity({ ...deps, keep }, { ...question, folders }, now());
    },
    collectRepositories: (signal) => collectRepositories({ engine, deviceId, reader, now: () => clock.now() }, signal),
    collectNotes: async (ingestedSince) => {
      for (const { cwd, since, until } of await listGitNotes(engine.kysely, { deviceId, since: ingestedSince })) {
        const span = { since, until: new Date(Date.parse(until) + GRACE_MS).toISOString() };
        const repository = await collectFolderActivity(deps, { cwd, ...span });
        if (repository !== null) await storeRepositoryActivity(engine, { deviceId, repository }, now());
      }
    },
  };
}

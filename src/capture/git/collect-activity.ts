import { findGitCalls, type GitSession, type RepositoryActivity, type SessionGit } from '../../domain/git.ts';
import { GRACE_MS } from '../../domain/git-correlation.ts';
import type { ResolvedWorkspace, WorkspaceIdentity } from '../../domain/workspace.ts';
import type { WorkspaceResolver } from '../workspace.ts';
import type { GitReader } from './read-activity.ts';

interface CollectDeps {
  readonly deviceId: string;
  readonly workspaces: WorkspaceResolver;
  readonly reader: GitReader;
}

/** A session that visits more folders than this is searching the disk, not working in repositories. */
const MAX_FOLDERS = 50;

/** Finds the git activity in the repositories of a session. */
export async function collectGitActivity(deps: CollectDeps, session: GitSession, now: string): Promise<SessionGit> {
  const { sessionId } = session;
  const trees = await resolveFolders(deps.workspaces, session.folders);
  return {
    sessionId,
    deviceId: deps.deviceId,
    folders: [...trees].map(([folder, workspace]) => ({ folder, workspace })),
    repositories: await readRepositories(deps.reader, trees, spanOf(session, now)),
    calls: findGitCalls(session.shell, session.gitOperations, session.callTimes),
  };
}

/** Does the same for one folder reported by a git hook; its session may be discovered later or never. */
export async function collectFolderActivity(
  deps: Pick<CollectDeps, 'workspaces' | 'reader'>,
  query: { readonly cwd: string; readonly since: string; readonly until: string },
): Promise<RepositoryActivity | null> {
  const workspace = await deps.workspaces.resolve(query.cwd);
  const result = await deps.reader.readGitActivity({ ...query, repo: query.cwd });
  return result === null ? null : { workspace: identityOf(workspace), activities: result.activities };
}

/** Lists the root of every working tree the session used, with its workspace. */
async function resolveFolders(
  workspaces: WorkspaceResolver,
  folders: readonly string[],
): Promise<ReadonlyMap<string, WorkspaceIdentity>> {
  const trees = new Map<string, WorkspaceIdentity>();
  for (const path of folders.slice(0, MAX_FOLDERS)) {
    const resolved = await workspaces.resolve(path);
    if (resolved.folder?.isRepository) trees.set(resolved.folder.root, identityOf(resolved));
  }
  return trees;
}

function identityOf({ canonicalId, displayName }: ResolvedWorkspace): WorkspaceIdentity {
  return { canonicalId, displayName };
}

/** Reads each repository once; all of its working trees give the same result. */
async function readRepositories(
  reader: GitReader,
  trees: ReadonlyMap<string, WorkspaceIdentity>,
  span: Span | null,
): Promise<readonly RepositoryActivity[]> {
  if (span === null) return [];
  const found = new Map<string, RepositoryActivity>();
  for (const [repo, workspace] of trees) {
    const result = await reader.readGitActivity({ repo, ...span });
    if (result) found.set(result.repository.commonDir, { workspace, activities: result.activities });
  }
  return [...found.values()];
}

interface Span {
  readonly since: string;
  readonly until: string;
}

/** Null for a session whose lines have no timestamps. */
function spanOf({ startedAt, endedAt, isLive }: GitSession, now: string): Span | null {
  const untilMs = Date.parse(isLive ? now : (endedAt ?? startedAt ?? '')) + GRACE_MS;
  if (startedAt === null || Number.isNaN(untilMs)) return null;
  return { since: startedAt, until: new Date(untilMs).toISOString() };
}

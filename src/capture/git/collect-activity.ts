import { findGitCalls, type RepositoryActivity, type SessionGit, type ShellCall } from '../../domain/git.ts';
import { GRACE_MS } from '../../domain/git-correlation.ts';
import type { ParsedSession } from '../../domain/transcript.ts';
import type { ResolvedWorkspace, WorkspaceIdentity } from '../../domain/workspace.ts';
import type { WorkspaceResolver } from '../workspace.ts';
import type { GitReader } from './read-activity.ts';

export interface CollectDeps {
  readonly deviceId: string;
  readonly workspaces: WorkspaceResolver;
  readonly reader: GitReader;
  /** The shell calls of the session that have to do with git. */
  readonly loadShellCalls: (sessionId: string) => Promise<readonly ShellCall[]>;
  readonly keep: (found: SessionGit) => Promise<void>;
}

export interface SessionToCollect {
  readonly parsed: Pick<
    ParsedSession,
    'sessionId' | 'facts' | 'toolCalls' | 'gitOperations' | 'worktrees' | 'subagents'
  >;
  /** Now, for a session that still runs; null for one that has ended. */
  readonly liveUntil: string | null;
}

/** A session that walks through more folders than this is one of a search, not of work. */
const MAX_FOLDERS = 50;

/** Finds what happened in the repositories of a session, in git and in its tool calls, and has it kept. */
export async function collectGitActivity(deps: CollectDeps, session: SessionToCollect): Promise<void> {
  const { parsed } = session;
  const places = await findPlaces(deps.workspaces, parsed);
  const shell = await deps.loadShellCalls(parsed.sessionId);
  await deps.keep({
    sessionId: parsed.sessionId,
    deviceId: deps.deviceId,
    folders: [...places].map(([folder, workspace]) => ({ folder, workspace })),
    repositories: await readAll(deps.reader, places, session),
    calls: findGitCalls(shell, parsed.gitOperations, parsed.toolCalls),
  });
}

/** The same for one folder, when a git hook told of it: the session it belongs to may come later, or never. */
export async function collectFolderActivity(
  deps: Pick<CollectDeps, 'workspaces' | 'reader'>,
  question: { readonly cwd: string; readonly since: string; readonly until: string },
): Promise<RepositoryActivity | null> {
  const workspace = await deps.workspaces.resolve(question.cwd);
  const answer = await deps.reader.readGitActivity({ ...question, repo: question.cwd });
  return answer === null ? null : { workspace: identityOf(workspace), activities: answer.activities };
}

/** The tops of all working trees that the session was in, each with its workspace. */
async function findPlaces(
  workspaces: WorkspaceResolver,
  { facts, worktrees, subagents }: SessionToCollect['parsed'],
): Promise<ReadonlyMap<string, WorkspaceIdentity>> {
  const named = [...facts.cwds, ...worktrees.map(({ path }) => path), ...subagents.map((agent) => agent.worktreePath)];
  const folders = [...new Set(named.filter((path) => path !== null))].slice(0, MAX_FOLDERS);
  const places = new Map<string, WorkspaceIdentity>();
  for (const path of folders) {
    const resolved = await workspaces.resolve(path);
    if (resolved.folder?.isRepository) places.set(resolved.folder.root, identityOf(resolved));
  }
  return places;
}

function identityOf({ canonicalId, displayName }: ResolvedWorkspace): WorkspaceIdentity {
  return { canonicalId, displayName };
}

/** Working trees of one repository give the same answer: it is taken once. */
async function readAll(
  reader: GitReader,
  places: ReadonlyMap<string, WorkspaceIdentity>,
  session: SessionToCollect,
): Promise<readonly RepositoryActivity[]> {
  const span = spanOf(session);
  if (span === null) return [];
  const found = new Map<string, RepositoryActivity>();
  for (const [repo, workspace] of places) {
    const answer = await reader.readGitActivity({ repo, ...span });
    if (answer) found.set(answer.repository.commonDir, { workspace, activities: answer.activities });
  }
  return [...found.values()];
}

/** Null for a session whose lines carry no time. */
function spanOf({ parsed: { facts }, liveUntil }: SessionToCollect): { since: string; until: string } | null {
  const untilMs = Date.parse(liveUntil ?? facts.endedAt ?? facts.startedAt ?? '') + GRACE_MS;
  if (facts.startedAt === null || Number.isNaN(untilMs)) return null;
  return { since: facts.startedAt, until: new Date(untilMs).toISOString() };
}

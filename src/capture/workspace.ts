import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  isLocalRemote,
  normalizeRemote,
  type RememberedFolder,
  type ResolvedWorkspace,
  type SeenFolder,
  UNASSOCIATED,
  type WorkspaceIdentity,
  workspaceKind,
} from '../domain/workspace.ts';
import { sha256Hex } from '../lib/sha256.ts';
import { findRepository, type Remote, type Repository, readDefaultBranch, readRemotes } from './git/repository.ts';
import type { RunGit } from './git/run-git.ts';

interface ResolverOptions {
  readonly deviceId: string;
  /** The folders of this device that were known at the start of the run. */
  readonly remembered: readonly RememberedFolder[];
  readonly git: RunGit;
  /** A repository in the home folder itself (dotfiles) does not own deleted folders. */
  readonly home?: string;
}

/** Caches results for one run; create a new one for the next, since folders change. */
export interface WorkspaceResolver {
  resolve(cwd: string | null): Promise<ResolvedWorkspace>;
}

type Identity = WorkspaceIdentity & { readonly defaultBranch: string | null };

/** How far to follow remotes that are local paths (a clone of a clone). */
const MAX_LOCAL_REMOTES = 5;
const FIRST_COMMIT_TIMEOUT_MS = 10_000;

/**
 * Finds the workspace of a working directory: by its remote, else by its first commit, else by its path on this device.
 * Reads files only; git is started once per repository that has no remote and was never seen before.
 */
export function createWorkspaceResolver(options: ResolverOptions): WorkspaceResolver {
  const memory = indexMemory(options.remembered);
  const byCwd = new Map<string, Promise<ResolvedWorkspace>>();
  const byRepository = new Map<string, Promise<Identity>>();
  const identify = (repository: Repository) =>
    cached(byRepository, repository.commonDir, () => identifyRepository(options, memory, repository));
  return {
    resolve: async (cwd) => {
      if (!cwd) return { ...UNASSOCIATED, defaultBranch: null, folder: null };
      return cached(byCwd, cwd, () => resolveFolder(options, memory, identify, cwd));
    },
  };
}

function cached<T>(map: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

async function resolveFolder(
  options: ResolverOptions,
  memory: Memory,
  identify: (repository: Repository) => Promise<Identity>,
  cwd: string,
): Promise<ResolvedWorkspace> {
  const { deviceId, home = homedir() } = options;
  const plain = { canonicalId: folderId(deviceId, cwd), displayName: nameOf(cwd), defaultBranch: null };
  if (!isAbsolute(cwd)) return { ...plain, folder: null };
  const now = statFolder(cwd);
  const repository = findRepository(now === null ? nearestFolder(cwd) : cwd);
  if (now === null) {
    const known = memory.ofGoneFolder(cwd);
    if (known) return { ...known.workspace, defaultBranch: null, folder: null };
    if (repository !== null && repository.root !== home) return { ...(await identify(repository)), folder: null };
    const owner = ownerOfWorktree(cwd);
    if (owner === null) return { ...plain, folder: null };
    const named = memory.ofName(owner) ?? (await resolveFolder(options, memory, identify, owner));
    return { canonicalId: named.canonicalId, displayName: named.displayName, defaultBranch: null, folder: null };
  }
  if (repository !== null) return { ...(await identify(repository)), folder: seenIn(repository, cwd) };
  const known = memory.ofPlainFolder(cwd, now);
  const folder = { path: cwd, root: cwd, isRepository: false, worktreeName: null, fingerprint: now.fingerprint };
  return { ...plain, ...known?.workspace, folder: { ...folder, ...keepKind(known, cwd) } };
}

/** Where tools create working trees: inside the repository, or in a separate folder named after it. */
const WORKTREE_LAYOUTS = [
  /^(.+)\/\.claude\/worktrees\/[^/]+(?:\/.*)?$/,
  /^(.+)\/\.(?:worktrees|trees)\/[^/]+(?:\/.*)?$/,
  /^(.+\/\.claude-worktrees\/[^/]+)\/[^/]+(?:\/.*)?$/,
];

/** Derives the repository of a deleted working tree from its path; null for any other folder. */
function ownerOfWorktree(path: string): string | null {
  for (const layout of WORKTREE_LAYOUTS) {
    const owner = layout.exec(path)?.[1];
    if (owner !== undefined) return owner;
  }
  return null;
}

function seenIn(repository: Repository, path: string): SeenFolder {
  const { root, worktreeName } = repository;
  return { path, root, isRepository: true, worktreeName, fingerprint: statFolder(root)?.fingerprint ?? null };
}

/** A folder that lost its `.git` keeps its identity. */
function keepKind(known: RememberedFolder | undefined, cwd: string): Partial<SeenFolder> {
  if (known?.path !== cwd) return {};
  return { root: known.root, isRepository: known.isRepository, worktreeName: known.worktreeName };
}

async function identifyRepository(options: ResolverOptions, memory: Memory, repository: Repository): Promise<Identity> {
  const { mainRoot } = repository;
  const remote = remoteIdentity(repository, MAX_LOCAL_REMOTES);
  if (remote !== null) return remote;
  const known = memory.ofRoot(mainRoot);
  if (known && workspaceKind(known.workspace.canonicalId) === 'local') {
    return { ...known.workspace, defaultBranch: null };
  }
  const first = await readFirstCommit(options.git, mainRoot);
  const canonicalId = first === null ? folderId(options.deviceId, mainRoot) : localId(first);
  return { canonicalId, displayName: nameOf(mainRoot.replace(/\.git$/, '')), defaultBranch: null };
}

function remoteIdentity(repository: Repository, stepsLeft: number): Identity | null {
  for (const remote of readRemotes(repository)) {
    const found = isLocalRemote(remote.url) ? followLocal(repository, remote, stepsLeft) : normalizeRemote(remote.url);
    if (found === null) continue;
    const { canonicalId, displayName } = found;
    return { canonicalId, displayName, defaultBranch: readDefaultBranch(repository, remote.name) };
  }
  return null;
}

/** A clone of a local folder belongs to the remote of that folder. */
function followLocal({ mainRoot }: Repository, { url }: Remote, stepsLeft: number): WorkspaceIdentity | null {
  const path = url.startsWith('file:') ? pathOfUrl(url) : resolve(mainRoot, url);
  const source = path === null || stepsLeft === 0 ? null : (findRepository(path) ?? findRepository(`${path}.git`));
  return source === null || source.mainRoot === mainRoot ? null : remoteIdentity(source, stepsLeft - 1);
}

function pathOfUrl(url: string): string | null {
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}

/** Follows first parents, so that histories merged later do not change the result. */
async function readFirstCommit(git: RunGit, root: string): Promise<string | null> {
  const args = ['rev-list', '--max-parents=0', '--first-parent', 'HEAD', '--'];
  const { stdout } = await git(root, args, { timeoutMs: FIRST_COMMIT_TIMEOUT_MS });
  return /^[0-9a-f]{40,64}$/m.exec(stdout)?.[0] ?? null;
}

function localId(firstCommit: string): string {
  return `local:${sha256Hex(firstCommit)}`;
}

/** A plain folder exists on one machine only: the same path on another machine is a different folder. */
function folderId(deviceId: string, path: string): string {
  return `folder:${deviceId}:${path}`;
}

function nameOf(path: string): string {
  return basename(path.replaceAll('\\', '/')) || path;
}

interface FolderStat {
  /** Null when the file system stores no birth time: an inode number alone is soon reused. */
  readonly fingerprint: string | null;
}

/** Null when the path is not a folder. */
function statFolder(path: string): FolderStat | null {
  try {
    const stat = statSync(path, { bigint: true });
    if (!stat.isDirectory()) return null;
    return { fingerprint: stat.birthtimeNs === 0n ? null : `${stat.ino}:${stat.birthtimeNs}` };
  } catch {
    return null;
  }
}

function nearestFolder(path: string): string {
  for (let at = path; ; at = dirname(at)) if (statFolder(at) !== null || dirname(at) === at) return at;
}

type Memory = ReturnType<typeof indexMemory>;

function indexMemory(remembered: readonly RememberedFolder[]) {
  const byPath = new Map(remembered.map((folder) => [folder.path, folder]));
  const roots = new Map(remembered.filter(({ isRepository }) => isRepository).map((folder) => [folder.root, folder]));
  const byFingerprint = new Map(remembered.map((folder) => [folder.fingerprint, folder]));
  const findEnclosing = (path: string): RememberedFolder | undefined => {
    for (let at = path; dirname(at) !== at; at = dirname(at)) if (roots.has(at)) return roots.get(at);
    return undefined;
  };
  /** The folder at this path is still the one that was seen before. */
  const isSameFolder = (known: RememberedFolder | undefined): known is RememberedFolder =>
    known !== undefined && known.fingerprint !== null && known.fingerprint === statFolder(known.root)?.fingerprint;
  const ifSame = (known: RememberedFolder | undefined) => (isSameFolder(known) ? known : undefined);
  const named = Map.groupBy(roots.keys(), (root) => basename(root));
  return {
    /** The only known repository with that name, for a worktree folder that is named after it but located elsewhere. */
    ofName: (path: string): WorkspaceIdentity | undefined => {
      if (!/\/\.claude-worktrees\/[^/]+$/.test(path)) return undefined;
      const [root, ...others] = named.get(basename(path)) ?? [];
      return root === undefined || others.length > 0 ? undefined : roots.get(root)?.workspace;
    },
    ofGoneFolder: (path: string) => byPath.get(path) ?? findEnclosing(path),
    ofRoot: (path: string) => ifSame(roots.get(path)),
    /** The folder itself, even if it was renamed since; else an enclosing repository that lost its `.git`. */
    ofPlainFolder: (path: string, { fingerprint }: FolderStat): RememberedFolder | undefined => {
      const known = byPath.get(path);
      if (known !== undefined && (!known.isRepository || isSameFolder(known))) return known;
      const moved = fingerprint === null ? undefined : byFingerprint.get(fingerprint);
      return moved !== undefined && !isSameFolder(moved) ? moved : ifSame(findEnclosing(path));
    },
  };
}

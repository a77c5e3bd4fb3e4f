import type { App } from './open-app.ts';
import { findRepository } from '../capture/git/find-repository.ts';
import {
  type GitHooksOptions,
  type GitHooksReport,
  installGitHooks,
  readGitHooks,
  uninstallGitHooks,
} from '../capture/git/git-hooks.ts';
import { createGitRunner } from '../capture/git/run-git.ts';
import { FuelError } from '../domain/errors.ts';
import { listKnownRepositories } from '../store/queries/git/repository-looks.ts';

export type { GitHooksReport } from '../capture/git/git-hooks.ts';

const ACTIONS = { install: installGitHooks, uninstall: uninstallGitHooks, status: readGitHooks } as const;

export type GitHooksAction = keyof typeof ACTIONS;

export function isGitHooksAction(name: string): name is GitHooksAction {
  return Object.hasOwn(ACTIONS, name);
}

/** Installs, removes or reads the hooks of one repository. */
export function runGitHooks(
  action: GitHooksAction,
  options: Pick<GitHooksOptions, 'folder' | 'home'>,
): Promise<GitHooksReport> {
  return ACTIONS[action]({ ...options, git: createGitRunner() });
}

/** The first of these folders that is a repository without our hooks; null when there is none. */
export async function findWithoutGitHooks(folders: readonly string[], home: string): Promise<string | null> {
  const folder = folders.find((one) => findRepository(one) !== null);
  if (folder === undefined) return null;
  const { hooks } = await runGitHooks('status', { folder, home });
  return hooks.some(({ state }) => state !== 'absent') ? null : folder;
}

export interface AllGitHooks {
  readonly repositories: readonly GitHooksReport[];
  /** Repositories that were left as they are, and why. */
  readonly refused: readonly { readonly repository: string; readonly why: string }[];
}

/**
 * Installs into, removes from or reads every repository on this machine that sessions worked in. The alternative, a global
 * `core.hooksPath`, would make git ignore the hooks that each repository has of its own.
 */
export async function allGitHooks(
  { store, device, config }: Pick<App, 'store' | 'device' | 'config'>,
  action: GitHooksAction,
): Promise<AllGitHooks> {
  const known = await listKnownRepositories(store.engine.kysely, device.id);
  const found = known.map(({ root }) => findRepository(root)).filter((repository) => repository !== null);
  // Working trees share the hooks of their main repository.
  const byHooks = new Map(found.map((repository) => [repository.commonDir, repository]));
  const repositories: GitHooksReport[] = [];
  const refused: { repository: string; why: string }[] = [];
  for (const { root, mainRoot } of byHooks.values()) {
    try {
      repositories.push(await runGitHooks(action, { folder: root, home: config.home }));
    } catch (error) {
      if (!(error instanceof FuelError)) throw error;
      refused.push({ repository: mainRoot, why: error.message });
    }
  }
  return { repositories, refused };
}

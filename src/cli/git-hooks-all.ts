import type { App } from '../app/open-app.ts';
import { findRepository } from '../capture/git/find-repository.ts';
import type { GitHooksOptions, GitHooksReport } from '../capture/git/git-hooks.ts';
import { createGitRunner } from '../capture/git/run-git.ts';
import { FuelError } from '../domain/errors.ts';
import { listKnownRepositories } from '../store/queries/git/repository-looks.ts';

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
  act: (options: GitHooksOptions) => Promise<GitHooksReport>,
): Promise<AllGitHooks> {
  const known = await listKnownRepositories(store.engine.kysely, device.id);
  const found = known.map(({ root }) => findRepository(root)).filter((repository) => repository !== null);
  // Working trees share the hooks of their main repository.
  const byHooks = new Map(found.map((repository) => [repository.commonDir, repository]));
  const repositories: GitHooksReport[] = [];
  const refused: { repository: string; why: string }[] = [];
  const git = createGitRunner();
  for (const { root, mainRoot } of byHooks.values()) {
    try {
      repositories.push(await act({ folder: root, home: config.home, git }));
    } catch (error) {
      if (!(error instanceof FuelError)) throw error;
      refused.push({ repository: mainRoot, why: error.message });
    }
  }
  return { repositories, refused };
}

import { join } from 'node:path';
import { findWithoutGitHooks } from '../app/git-hooks.ts';
import { FuelError } from '../domain/errors.ts';
import { readTextFile, writePrivateFile } from '../lib/private-file.ts';
import type { WorkspaceDetail } from '../api/workspaces.ts';
import type { CommandContext } from './command.ts';
import { remark } from './say.ts';

/**
 * Mentions git hooks once per workspace, only on a terminal. The hint is recorded before it is shown: if it cannot be
 * recorded it is not shown, since it would appear every time.
 */
export async function offerGitHooks(
  { terminal, loaded: { config } }: Pick<CommandContext, 'terminal' | 'loaded'>,
  { id, display_name, folders }: Pick<WorkspaceDetail, 'id' | 'display_name' | 'folders'>,
): Promise<void> {
  const path = join(config.home, 'git-hooks-offered');
  const offered = readTextFile(path) ?? '';
  if (!terminal.isInteractive || offered.split('\n').includes(id)) return;
  const folder = await findWithoutGitHooks(
    folders.map((one) => one.path),
    config.home,
  );
  if (folder === null || !remember(path, `${offered}${id}\n`)) return;
  remark(
    terminal,
    `Hint: ${display_name} has no fuel-code git hooks, so commits appear with the next import. To see them immediately, run \`fuel-code git-hooks install\` in ${folder}. This hint is shown once.`,
  );
}

function remember(path: string, text: string): boolean {
  try {
    writePrivateFile(path, text);
    return true;
  } catch (error) {
    if (error instanceof FuelError || (error as NodeJS.ErrnoException).code !== undefined) return false;
    throw error;
  }
}

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { StatusLineState } from '../../capture/statusline/edit-status-line.ts';
import {
  installStatusLine,
  planStatusLine,
  readStatusLineState,
  type StatusLineChange,
  type StatusLineFile,
  uninstallStatusLine,
} from '../../capture/statusline/install-status-line.ts';
import type { LoadedConfig } from '../../config.ts';
import type { Clock } from '../../domain/ports.ts';
import { shellWord } from '../../lib/shell-word.ts';

export type { StatusLineState } from '../../capture/statusline/edit-status-line.ts';
export type { StatusLineChange } from '../../capture/statusline/install-status-line.ts';

/** Our entry in the settings of Claude Code. */
export interface StatusLineInstallation {
  readonly file: StatusLineFile;
  plan(): StatusLineChange;
  install(): StatusLineChange;
  uninstall(): StatusLineChange;
  state(): StatusLineState;
}

export function statusLineInstallation(
  { config, sources }: LoadedConfig,
  clock: Clock,
  format: string | null,
): StatusLineInstallation {
  const { home, claudeHome } = config;
  // The client starts it in a shell, perhaps without our PATH and environment.
  const words = [
    ...(sources.home === 'environment' ? [`FUEL_CODE_HOME=${shellWord(home)}`] : []),
    shellWord(process.execPath),
    shellWord(realpathSync(process.argv[1] ?? '')),
    'statusline',
    ...(format === null ? [] : ['--format', shellWord(format)]),
  ];
  const path = join(claudeHome, 'settings.json');
  const file: StatusLineFile = { path, entry: { type: 'command', command: words.join(' ') } };
  return {
    file,
    plan: () => planStatusLine(file),
    install: () => installStatusLine(home, file, clock),
    uninstall: () => uninstallStatusLine(home, path, clock),
    state: () => readStatusLineState(file),
  };
}

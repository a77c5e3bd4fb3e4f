import { settingsPath } from '../../capture/hook/install.ts';
import { changeSettings, readSettings, parseSettings } from '../../capture/hook/settings-file.ts';
import { listHomes } from '../../capture/homes.ts';
import { KEEP_DAYS, withCleanupDays } from '../../capture/retention.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../domain/ports.ts';

export { KEEP_DAYS } from '../../capture/retention.ts';

export interface CleanupSetting {
  /** The settings file of a Claude home. */
  readonly path: string;
  readonly isKeepingAlready: boolean;
}

/** How long each Claude home keeps its transcripts. Errors: bad_config for settings that cannot be read. */
export function readCleanupSettings(config: Config): readonly CleanupSetting[] {
  const homes = listHomes(config).filter(({ exists, same_as }) => exists && same_as === null);
  const paths = homes.length > 0 ? homes.map(({ path }) => path) : [config.claudeHome];
  return paths.map(settingsPath).map((path) => {
    const text = readSettings(path) ?? '{}\n';
    return { path, isKeepingAlready: parseSettings(path, text, () => withCleanupDays(text, KEEP_DAYS)) === text };
  });
}

/** Makes Claude Code keep its transcripts. */
export function keepTranscripts(path: string, clock: Clock): void {
  changeSettings(path, clock, (now) => withCleanupDays(now ?? '{}\n', KEEP_DAYS));
}

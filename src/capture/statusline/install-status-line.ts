import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../domain/ports.ts';
import { readInstallRecords, writeInstallRecord } from '../settings/install-records.ts';
import {
  changeSettings,
  EMPTY_SETTINGS,
  isEmptySettings,
  parseSettings,
  readSettings,
} from '../settings/settings-file.ts';
import {
  isOurs,
  restoreStatusLine,
  type StatusLineEntry,
  type StatusLineState,
  setStatusLine,
  sourceOf,
  stateOf,
} from './edit-status-line.ts';

export interface StatusLineFile {
  /** The settings of Claude Code. */
  readonly path: string;
  readonly entry: StatusLineEntry;
}

export interface StatusLineChange {
  readonly path: string;
  readonly changed: boolean;
  /** The source of a foreign status line that is replaced or restored. */
  readonly other: string | null;
}

/** What was there before, so that removing ours restores it. */
interface Before {
  readonly isNewFile: boolean;
  readonly source: string | null;
}

/** What installing would change. Errors: bad_config. */
export function planStatusLine({ path, entry }: StatusLineFile): StatusLineChange {
  const text = readSettings(path) ?? EMPTY_SETTINGS;
  return parseSettings(path, text, () => ({
    path,
    changed: setStatusLine(text, entry) !== text,
    other: isOurs(text) ? null : sourceOf(text),
  }));
}

/** Sets our status line and remembers the one that was there. Errors: bad_config; nothing is changed then. */
export function installStatusLine(home: string, { path, entry }: StatusLineFile, clock: Clock): StatusLineChange {
  let other: string | null = null;
  const changed = changeSettings(path, clock, (text) => {
    const before = text ?? EMPTY_SETTINGS;
    if (!isOurs(before)) {
      other = sourceOf(before);
      const isNewFile = text === null && !existsSync(path);
      writeInstallRecord<Before>(recordPath(home), path, { isNewFile, source: other });
    }
    return setStatusLine(before, entry);
  });
  return { path, changed, other };
}

/** Removes our status line and restores the one that was there before; a foreign one is left alone. Errors: bad_config. */
export function uninstallStatusLine(home: string, path: string, clock: Clock): StatusLineChange {
  const before = readInstallRecords<Before>(recordPath(home))[path];
  const { isNewFile, source } = before ?? { isNewFile: false, source: null };
  const changed = changeSettings(path, clock, (text) => {
    if (text === null || !isOurs(text)) return text;
    const restored = restoreStatusLine(text, source);
    return isNewFile && isEmptySettings(restored) ? null : restored;
  });
  writeInstallRecord(recordPath(home), path, null);
  return { path, changed, other: changed ? source : null };
}

/** Errors: bad_config. */
export function readStatusLineState({ path, entry }: StatusLineFile): StatusLineState {
  const text = readSettings(path);
  return text === null ? 'missing' : parseSettings(path, text, () => stateOf(text, entry));
}

function recordPath(home: string): string {
  return join(home, 'statusline-installed.json');
}

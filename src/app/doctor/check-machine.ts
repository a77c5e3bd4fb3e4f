import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type HomeHooks, readHookStatus } from '../../capture/hook/install.ts';
import { openSpool } from '../../capture/spool/spool.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../domain/ports.ts';
import type { ClaudeHomeStatus } from '../../api/answers/server.ts';
import { LOG_START, logFolder, readLog } from '../../lib/log-file.ts';
import { formatAgo, plural } from '../../reading/format.ts';
import type { Check } from './check.ts';
import { DAY_MS } from '../../domain/durations.ts';

/** Checks of the files of this machine; none needs the database. */

/** Without hooks nothing is lost; it is only imported later. */
export function checkHooks({ home, claudeHome }: Config, clock: Clock, clientVersion: string | null): Check {
  const { homes, last_fired_at, launcher } = readHookStatus({ home, claudeHome, clock }, clientVersion);
  const there = homes.filter(({ exists, same_as, path }) => (exists || path === claudeHome) && same_as === null);
  const paths = (some: readonly HomeHooks[]) => some.map(({ path }) => path).join(', ');
  const missing = there.filter(({ installed }) => !installed);
  const name = 'hooks';
  if (missing.length > 0)
    return { name, state: 'warn', message: `missing or incomplete in ${paths(missing)}: run fuel-code hooks install` };
  const disabled = there.filter((one) => one.disabled);
  if (disabled.length > 0)
    return { name, state: 'warn', message: `"disableAllHooks" is set in the settings of ${paths(disabled)}` };
  if (launcher === 'missing')
    return { name, state: 'warn', message: 'Node.js or fuel-code is not where it was: run fuel-code hooks install' };
  const fired = last_fired_at === null ? 'none has fired yet' : `one fired ${formatAgo(last_fired_at, clock.now())}`;
  return { name, state: 'ok', message: `installed; ${fired}` };
}

export function checkQueue({ home }: Config, clock: Clock): Check {
  // Don't create the folder: on a read-only disk that would fail.
  const isThere = existsSync(join(home, 'spool'));
  const { entries, dead_letters } = isThere ? openSpool(home, clock).stats() : { entries: 0, dead_letters: 0 };
  const waiting = `${plural(entries, 'entry', 'entries')} of the hooks to store`;
  if (dead_letters === 0) return { name: 'queue', state: 'ok', message: waiting };
  const dead = `${plural(dead_letters, 'dead letter')}: see fuel-code queue dead-letter`;
  return { name: 'queue', state: 'warn', message: `${waiting}; ${dead}` };
}

export function checkClaudeHome({ path, exists, same_as }: ClaudeHomeStatus): Check {
  const name = 'Claude home';
  if (same_as !== null) return { name, state: 'ok', message: `${path} is the same folder as ${same_as}` };
  if (exists) return { name, state: 'ok', message: path };
  const message = `${path} is not there, or has no projects folder: run Claude Code once, or set CLAUDE_CONFIG_DIR.`;
  return { name, state: 'warn', message };
}

export function checkDataFolder({ home }: Config): Check {
  const name = 'data folder';
  if (!existsSync(home)) return { name, state: 'ok', message: `${home} will be made when it is needed` };
  if (!canWrite(home)) {
    const message = `${home} cannot be written, so nothing new is kept: correct its owner or its disk, or set FUEL_CODE_HOME.`;
    return { name, state: 'bad', message };
  }
  const database = join(home, 'fuel.db');
  if (existsSync(database) && !canUse(database, constants.R_OK | constants.W_OK)) {
    return { name, state: 'bad', message: `${database} cannot be written, so nothing new is kept: correct its owner.` };
  }
  const others = statSync(home).mode & 0o077;
  if (others === 0) return { name, state: 'ok', message: `${home}, readable by you only` };
  return { name, state: 'warn', message: `${home} is open to other users: chmod 700 it.` };
}

const RECENT_MS = DAY_MS;

/** Recent errors of the worker and the server, and whether they can still write their log. */
export function checkLog({ home }: Config, now: Date): Check {
  const name = 'log';
  const folder = logFolder(home);
  const stat = existsSync(home) ? lstatSync(folder, { throwIfNoEntry: false }) : undefined;
  if (stat === undefined) return { name, state: 'ok', message: `nothing was ever written to ${folder}` };
  if (!stat.isDirectory() || !canWrite(folder)) {
    return { name, state: 'warn', message: `${folder} cannot be written: correct it, or move it away.` };
  }
  const since = new Date(now.getTime() - RECENT_MS).toISOString();
  const recent = readLog(folder, LOG_START).entries.filter(({ time }) => time >= since);
  const errors = recent.filter(({ level }) => level === 'error');
  const warnings = recent.filter(({ level }) => level === 'warn').length;
  const counts = `${folder}; errors in the last day: ${errors.length}, warnings: ${warnings}`;
  if (errors.length === 0) return { name, state: 'ok', message: counts };
  const message = `${counts}. The last error: ${errors.at(-1)?.message}. fuel-code logs --level error shows them.`;
  return { name, state: 'warn', message };
}

function canWrite(folder: string): boolean {
  return canUse(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

function canUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

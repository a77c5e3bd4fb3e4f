import { constants, existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClaudeHomeStatus } from '../api/server.ts';
import { canWrite } from '../archive/state.ts';
import { type HomeHooks, readHookStatus } from '../capture/hook/install.ts';
import type { Expiring } from '../capture/retention.ts';
import { openSpool } from '../capture/spool/spool.ts';
import { type Config, databasePath } from '../config.ts';
import { DAY_MS } from '../domain/durations.ts';
import { toFuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { LOG_START, logFolder, readLog } from '../lib/log.ts';
import { canAccess } from '../lib/private-file.ts';
import { formatAgo, plural } from '../reading/format.ts';

/** The result of one check of `fuel-code doctor`. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'bad';
  readonly message: string;
  /** Archived data is damaged or lost, or no more can be stored. */
  readonly isDamage?: boolean;
  /** Files that Claude Code deletes next, and when. */
  readonly files?: readonly Expiring[];
}

/** A check that throws has failed. */
export function attempt(name: string, check: () => Check): Check {
  try {
    return check();
  } catch (error) {
    return failed(name, error);
  }
}

export function failed(name: string, error: unknown): Check {
  const { message, hint, code } = toFuelError(error);
  const isDamage = code === 'store_corrupt' || code === 'disk_full' || code.startsWith('blob_');
  return { name, state: 'bad', message: hint ? `${message} ${hint}` : message, isDamage };
}

/** Checks of the files of this machine; none needs the database. */

/** Without hooks nothing is lost; it is only imported later. */
export function checkHooks({ home, claudeHome }: Config, clock: Clock, clientVersion: string | null): Check {
  const { homes, last_fired_at, launcher } = readHookStatus({ home, claudeHome, clock }, clientVersion);
  const there = homes.filter(({ exists, same_as, path }) => (exists || path === claudeHome) && same_as === null);
  const paths = (some: readonly HomeHooks[]) => some.map(({ path }) => path).join(', ');
  const missing = there.filter(({ installed, plugin }) => !installed && !plugin);
  const name = 'hooks';
  if (missing.length > 0)
    return {
      name,
      state: 'warn',
      message: `missing or incomplete in ${paths(missing)}: run \`fuel-code hooks install\``,
    };
  const disabled = there.filter((one) => one.disabled);
  if (disabled.length > 0)
    return { name, state: 'warn', message: `"disableAllHooks" is set in the settings of ${paths(disabled)}` };
  if (launcher === 'missing')
    return { name, state: 'warn', message: 'Node.js or fuel-code has moved: run `fuel-code hooks install`' };
  const fired = last_fired_at === null ? 'none has run yet' : `last run ${formatAgo(last_fired_at, clock.now())}`;
  return { name, state: 'ok', message: `installed; ${fired}` };
}

export function checkQueue({ home }: Config, clock: Clock): Check {
  // Don't create the folder: on a read-only disk that would fail.
  const isThere = existsSync(join(home, 'spool'));
  const { entries, dead_letters } = isThere ? openSpool(home, clock).stats() : { entries: 0, dead_letters: 0 };
  const waiting = `${plural(entries, 'hook event')} queued`;
  if (dead_letters === 0) return { name: 'queue', state: 'ok', message: waiting };
  const dead = `${plural(dead_letters, 'dead letter')}: see \`fuel-code queue dead-letter\``;
  return { name: 'queue', state: 'warn', message: `${waiting}; ${dead}` };
}

export function checkClaudeHome({ path, exists, same_as }: ClaudeHomeStatus): Check {
  const name = 'Claude home';
  if (same_as !== null) return { name, state: 'ok', message: `${path} is the same folder as ${same_as}` };
  if (exists) return { name, state: 'ok', message: path };
  const message = `${path} does not exist or has no projects folder. Run Claude Code once, or set CLAUDE_CONFIG_DIR.`;
  return { name, state: 'warn', message };
}

export function checkDataFolder({ home }: Config): Check {
  const name = 'data folder';
  if (!existsSync(home)) return { name, state: 'ok', message: `${home} will be created when needed` };
  if (!canWrite(home)) {
    const message = `${home} is not writable, so nothing new is stored. Fix its permissions or disk, or set FUEL_CODE_HOME.`;
    return { name, state: 'bad', message };
  }
  const database = databasePath(home);
  if (existsSync(database) && !canAccess(database, constants.R_OK | constants.W_OK)) {
    return {
      name,
      state: 'bad',
      message: `${database} is not writable, so nothing new is stored. Fix its permissions.`,
    };
  }
  const others = statSync(home).mode & 0o077;
  if (others === 0) return { name, state: 'ok', message: `${home}, private` };
  return { name, state: 'warn', message: `${home} is accessible to other users. Run chmod 700 on it.` };
}

const RECENT_MS = DAY_MS;

/** Recent errors of the worker and the server, and whether they can still write their log. */
export function checkLog({ home }: Config, now: Date): Check {
  const name = 'log';
  const folder = logFolder(home);
  const stat = existsSync(home) ? lstatSync(folder, { throwIfNoEntry: false }) : undefined;
  if (stat === undefined) return { name, state: 'ok', message: `no logs in ${folder} yet` };
  if (!stat.isDirectory() || !canWrite(folder)) {
    return { name, state: 'warn', message: `${folder} is not writable. Fix its permissions or move it away.` };
  }
  const since = new Date(now.getTime() - RECENT_MS).toISOString();
  const recent = readLog(folder, LOG_START).entries.filter(({ time }) => time >= since);
  const errors = recent.filter(({ level }) => level === 'error');
  const warnings = recent.filter(({ level }) => level === 'warn').length;
  const counts = `${folder}; errors in the last day: ${errors.length}, warnings: ${warnings}`;
  if (errors.length === 0) return { name, state: 'ok', message: counts };
  const message = `${counts}. Last error: ${errors.at(-1)?.message}. Run \`fuel-code logs --level error\` to see them.`;
  return { name, state: 'warn', message };
}

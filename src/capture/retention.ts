import { join } from 'node:path';
import { FuelError } from '../domain/errors.ts';
import { readTextFile } from '../lib/private-file.ts';
import type { FoundFile } from './discover.ts';

const DEFAULT_CLEANUP_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
/** Warn when so little time is left. */
export const SOON_DAYS = 7;
/** What `doctor --fix` sets: longer than anybody will use this machine. */
export const KEEP_DAYS = 99_999;

export interface Retention {
  readonly cleanupDays: number;
  /** Whether settings.json says it, or it is the client's default. */
  readonly isSet: boolean;
}

/** After how many days Claude Code deletes transcripts, by their time of last change. */
export function readRetention(claudeHome: string): Retention {
  const text = readTextFile(join(claudeHome, 'settings.json'));
  const days = text === null ? undefined : /"cleanupPeriodDays"\s*:\s*(\d+)/.exec(text)?.[1];
  return days === undefined
    ? { cleanupDays: DEFAULT_CLEANUP_DAYS, isSet: false }
    : { cleanupDays: Number(days), isSet: true };
}

export interface Expiring {
  readonly path: string;
  readonly deletedAt: string;
  readonly daysLeft: number;
  readonly isCaptured: boolean;
}

/** The transcripts that will be deleted soon, the next one first. */
export function findExpiring(
  files: readonly FoundFile[],
  { cleanupDays }: Retention,
  isCaptured: (file: FoundFile) => boolean,
  now: Date,
): readonly Expiring[] {
  return files
    .filter(({ kind }) => kind === 'main')
    .map((file) => {
      const deletedMs = file.mtimeMs + cleanupDays * DAY_MS;
      const daysLeft = Math.floor((deletedMs - now.getTime()) / DAY_MS);
      return { path: file.path, deletedAt: dateOf(deletedMs), daysLeft, isCaptured: isCaptured(file) };
    })
    .filter(({ daysLeft }) => daysLeft <= SOON_DAYS)
    .toSorted((a, b) => a.daysLeft - b.daysLeft);
}

const LAST_DATE_MS = 8.64e15;

function dateOf(ms: number): string {
  return new Date(Math.min(ms, LAST_DATE_MS)).toISOString();
}

/** Sessions that history.jsonl has prompts of while neither their transcript nor a copy of it exists. */
export function findLost(historyText: string, isKnown: (sessionId: string) => boolean): readonly string[] {
  const lost = new Set<string>();
  for (const [, sessionId = ''] of historyText.matchAll(/"sessionId"\s*:\s*"([^"\\]{1,128})"/g)) {
    if (!isKnown(sessionId)) lost.add(sessionId);
  }
  return [...lost];
}

/** The settings with another clean-up period, everything else as it is. Errors: bad_config for settings that are no JSON object. */
export function withCleanupDays(settingsText: string | null, days: number): string {
  if (settingsText === null || settingsText.trim() === '') return `{\n  "cleanupPeriodDays": ${days}\n}\n`;
  const known = /("cleanupPeriodDays"\s*:\s*)\d+/;
  if (known.test(settingsText)) return settingsText.replace(known, `$1${days}`);
  const opened = settingsText.replace(/^(\uFEFF?\s*\{)(\s*)(\S)/, (_, brace: string, gap: string, next: string) => {
    const space = gap.includes('\n') ? gap : '\n  ';
    return `${brace}${space}"cleanupPeriodDays": ${days}${next === '}' ? '\n' : `,${space}`}${next}`;
  });
  if (opened !== settingsText) return opened;
  throw new FuelError('bad_config', 'settings.json of the Claude home is not a JSON object.', {
    hint: 'Mend it by hand; fuel-code changes nothing in a file it does not understand.',
  });
}

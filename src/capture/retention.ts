import { join } from 'node:path';
import { DAY_MS } from '../domain/durations.ts';
import { readTextFile } from '../lib/private-file.ts';
import type { FoundFile } from './discover.ts';
import { insertChild, JsonProblem, member, replaceNode, rootOf } from './settings/jsonc.ts';

const DEFAULT_CLEANUP_DAYS = 30;
/** Warn when less time than this remains. */
export const SOON_DAYS = 7;
/** The value that `doctor --fix` sets: longer than any machine is used. */
export const KEEP_DAYS = 99_999;

interface Retention {
  readonly cleanupDays: number;
  /** True when settings.json sets it, false for the client's default. */
  readonly isSet: boolean;
}

const KEY = 'cleanupPeriodDays';

/** The number of days after which Claude Code deletes transcripts, counted from their last change. */
export function readRetention(claudeHome: string): Retention {
  const days = cleanupDaysIn(readTextFile(join(claudeHome, 'settings.json')) ?? '{}');
  return days === null ? { cleanupDays: DEFAULT_CLEANUP_DAYS, isSet: false } : { cleanupDays: days, isSet: true };
}

/** Null when the settings do not set it or cannot be read; Claude Code then uses its default too. */
function cleanupDaysIn(settingsText: string): number | null {
  try {
    const node = member(rootOf(settingsText.replace(/^\uFEFF/, '')), KEY);
    return node?.kind === 'scalar' && typeof node.value === 'number' ? node.value : null;
  } catch (error) {
    if (error instanceof JsonProblem) return null;
    throw error;
  }
}

export interface Expiring {
  readonly path: string;
  readonly deleted_at: string;
  readonly days_left: number;
  readonly is_captured: boolean;
}

/** Lists the transcripts that will be deleted soon, the earliest first. */
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
      const days_left = Math.floor((deletedMs - now.getTime()) / DAY_MS);
      return { path: file.path, deleted_at: dateOf(deletedMs), days_left, is_captured: isCaptured(file) };
    })
    .filter(({ days_left }) => days_left <= SOON_DAYS)
    .toSorted((a, b) => a.days_left - b.days_left);
}

/** Counts expiring transcripts, for callers that do not need their names. */
export function countExpiring(expiring: readonly Expiring[]) {
  const notCaptured = expiring.filter(({ is_captured }) => !is_captured).length;
  return { files: expiring.length, not_captured: notCaptured, next_at: expiring[0]?.deleted_at ?? null };
}

const LAST_DATE_MS = 8.64e15;

function dateOf(ms: number): string {
  return new Date(Math.min(ms, LAST_DATE_MS)).toISOString();
}

/** Sessions with prompts in a history.jsonl. */
export function sessionsInHistory(historyText: string): ReadonlySet<string> {
  return new Set(Array.from(historyText.matchAll(/"sessionId"\s*:\s*"([^"\\]{1,128})"/g), ([, id = '']) => id));
}

/** Returns the settings with another clean-up period and everything else unchanged. Errors: JsonProblem. */
export function withCleanupDays(settingsText: string, days: number): string {
  const root = rootOf(settingsText);
  const known = member(root, KEY);
  if (known === undefined) return insertChild(settingsText, root, KEY, days);
  return known.kind === 'scalar' && known.value === days ? settingsText : replaceNode(settingsText, known, days);
}

import { join } from 'node:path';
import { readTextFile } from '../lib/private-file.ts';
import type { FoundFile } from './discover.ts';
import { insertChild, replaceNode } from './hook/edit-jsonc.ts';
import { JsonProblem, member, rootOf } from './hook/jsonc.ts';

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

const KEY = 'cleanupPeriodDays';

/** After how many days Claude Code deletes transcripts, by their time of last change. */
export function readRetention(claudeHome: string): Retention {
  const days = cleanupDaysIn(readTextFile(join(claudeHome, 'settings.json')) ?? '{}');
  return days === null ? { cleanupDays: DEFAULT_CLEANUP_DAYS, isSet: false } : { cleanupDays: days, isSet: true };
}

/** Null where the settings do not say it, or cannot be read: then Claude Code uses its default as well. */
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
      const days_left = Math.floor((deletedMs - now.getTime()) / DAY_MS);
      return { path: file.path, deleted_at: dateOf(deletedMs), days_left, is_captured: isCaptured(file) };
    })
    .filter(({ days_left }) => days_left <= SOON_DAYS)
    .toSorted((a, b) => a.days_left - b.days_left);
}

/** How many there are, for those who do not want their names. */
export function countExpiring(expiring: readonly Expiring[]) {
  const notCaptured = expiring.filter(({ is_captured }) => !is_captured).length;
  return { files: expiring.length, not_captured: notCaptured, next_at: expiring[0]?.deleted_at ?? null };
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

/** The settings with another clean-up period, everything else as it is. Errors: JsonProblem. */
export function withCleanupDays(settingsText: string, days: number): string {
  const root = rootOf(settingsText);
  const known = member(root, KEY);
  if (known === undefined) return insertChild(settingsText, root, KEY, days);
  return known.kind === 'scalar' && known.value === days ? settingsText : replaceNode(settingsText, known, days);
}

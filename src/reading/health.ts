import type { Checkup } from '../api/checkup.ts';
import type { RescueReport } from '../api/server.ts';
import { DAY_MS } from '../domain/durations.ts';
import { formatAgo, formatCount, plural } from './format.ts';

type Check = Checkup['checks'][number];

/** The state of everything in a few words: what is archived, what would be lost without it, and what is wrong. */
export function healthSentence(checkup: Checkup, now: Date): string {
  const bad = checkup.checks.filter(({ state }) => state === 'bad').length;
  const problems = bad === 0 ? '' : `${plural(bad, 'check')} failed.`;
  return [archivedSentence(checkup, now), expiringSentence(checkup), problems].filter((part) => part !== '').join(' ');
}

function archivedSentence({ files, newest_archived_at }: Checkup, now: Date): string {
  const { found, empty, archived, waiting, skipped } = files;
  const all = found - empty;
  const unread = skipped === 0 ? '' : ` ${plural(skipped, 'file or folder', 'files or folders')} could not be read.`;
  if (all === 0) return `No transcripts found.${unread}`;
  const newest = newest_archived_at === null ? '' : `, the newest ${ago(newest_archived_at, now)}`;
  if (waiting > 0)
    return `${formatCount(archived)} of ${plural(all, 'file')} archived${newest}; ${waiting === 1 ? '1 has' : `${formatCount(waiting)} have`} new content that is not archived yet.${unread}`;
  return `${all === 1 ? 'The only file is' : `All ${formatCount(all)} files`} archived${newest}.${unread}`;
}

const SECONDS_SHOWN = 60;

function ago(at: string, now: Date): string {
  const seconds = Math.floor((now.getTime() - Date.parse(at)) / 1_000);
  return seconds >= 0 && seconds < SECONDS_SHOWN ? `${seconds} s ago` : formatAgo(at, now);
}

function expiringSentence({ expiring: { files, not_captured, days } }: Checkup): string {
  if (files === 0) return '';
  if (not_captured > 0)
    return `Claude Code deletes ${formatCount(files)} within ${days} days, and ${formatCount(not_captured)} of them ${not_captured === 1 ? 'is' : 'are'} not archived yet.`;
  return `${formatCount(files)} would be deleted within ${days} days and ${files === 1 ? 'is' : 'are'} safe here.`;
}

interface HealthCard {
  readonly title: string;
  readonly checks: readonly Check[];
}

const CARDS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Capture', ['Claude home', 'capture', 'hooks', 'worker']],
  ['Retention', ['retention', 'rescued']],
  ['Queue', ['queue']],
  ['Format', ['format']],
  ['Storage', ['data folder', 'disk', 'store', 'archive', 'search']],
];

/** The checks by theme; those without one are about the server. */
export function healthCards({ checks }: Checkup): readonly HealthCard[] {
  const known = new Set(CARDS.flatMap(([, names]) => names));
  const cards = CARDS.map(([title, names]) => ({ title, checks: checks.filter(({ name }) => names.includes(name)) }));
  return [...cards, { title: 'Server', checks: checks.filter(({ name }) => !known.has(name)) }];
}

/** The result of the first import; null once it is no longer news. */
export function rescueSentence(
  { first_import_at, sessions, would_be_deleted }: RescueReport,
  now: Date,
): string | null {
  const isNews = first_import_at !== null && now.getTime() - Date.parse(first_import_at) < DAY_MS;
  if (!isNews || sessions === 0) return null;
  const archived = `${plural(sessions, 'session')} archived`;
  if (would_be_deleted === 0)
    return `${archived}. ${sessions === 1 ? 'It stays' : 'They stay'} here, whatever Claude Code deletes.`;
  const which = would_be_deleted === sessions ? 'all' : formatCount(would_be_deleted);
  return `${archived}; ${sessions === 1 ? 'it' : `${which} of them`} would have been deleted this week.`;
}

import type { RescueReport } from '../api/server.ts';
import { DAY_MS } from '../domain/durations.ts';
import { formatCount, plural } from './format.ts';

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

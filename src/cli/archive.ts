import { type ArchiveCandidate, archiveSessions, listToArchive } from '../app/maintain.ts';
import { startOfDate } from '../lib/dates.ts';
import { formatDate, plural } from '../reading/format.ts';
import { shortId, titleOf } from '../reading/names.ts';
import { interrupted } from './catch-up.ts';
import { type Command, JSON_OPTION, limitOption } from './command.ts';
import { printJson, printLine, printNote } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { renderTable } from './table.ts';

const DEFAULT_AGE = '90d';
const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 1_000_000;

export const command: Command = {
  name: 'archive',
  about:
    'Free database space: remove the rows of old sessions, which then no longer appear in text searches, tools and files. The rows can be restored at any time.',
  options: {
    'older-than': {
      type: 'string',
      value: 'DATE',
      about: `Sessions that ended before this: 90d, 6mo, 1y, or a date such as 2026-11-15 (default ${DEFAULT_AGE}).`,
    },
    limit: limitOption('sessions', DEFAULT_LIMIT, MAX_LIMIT),
    'dry-run': { type: 'boolean', about: 'Only list the sessions; change nothing.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code archive --dry-run', 'Show what would be archived.'],
    ['fuel-code archive --older-than 1y', 'Archive sessions older than a year.'],
    ['fuel-code session 3f2a91c0 --restore', 'Restore the rows of one session.'],
  ],
  run: async ({ openApp, clock, terminal, signal }, args) => {
    const age = args.values.get('older-than') ?? DEFAULT_AGE;
    const before = startOfDate(age, { now: clock.now(), name: '--older-than' });
    const limit = readNumber(args, 'limit', { min: 1, max: MAX_LIMIT, otherwise: DEFAULT_LIMIT });
    await using app = await openApp();
    const found = await listToArchive(app, before, limit);
    const isDryRun = args.flags.has('dry-run');
    const ids = isDryRun ? [] : found.map(({ id }) => id);
    const archived = await archiveSessions(app, ids, signal);
    if (signal.aborted) throw interrupted(`Interrupted after ${archived.length} of ${plural(ids.length, 'session')}.`);
    if (args.flags.has('json')) return printJson(terminal, { found, archived });
    if (isDryRun && found.length > 0) {
      terminal.out(
        renderTable(
          terminal,
          [
            { title: 'ID', text: ({ id }: ArchiveCandidate) => shortId(id) },
            { title: 'ENDED', text: ({ ended_at }) => (ended_at === null ? '' : formatDate(ended_at)) },
            { title: 'MESSAGES', align: 'right' as const, text: ({ total_messages }) => String(total_messages ?? 0) },
            { title: 'TITLE', grows: true, text: titleOf },
          ],
          found,
        ),
      );
    }
    if (found.length === 0) return printLine(terminal, 'No sessions to archive.');
    const count = plural(isDryRun ? found.length : archived.length, 'session');
    printLine(terminal, `${count} ${isDryRun ? 'to archive' : 'archived'}; summaries, costs and raw bytes are kept.`);
    if (found.length === limit) printNote(terminal, `Limited to ${plural(limit, 'session')}; -n N changes that.`);
  },
};

import { formatAgo, formatBytes, formatDate } from '../reading/format.ts';
import type { Share } from '../api/shares.ts';
import { type Command, REMOTE_OPTIONS } from './command.ts';
import { printJson } from './json.ts';
import { LIST_OPTIONS, printList } from './list.ts';
import { say } from './say.ts';
import { openSource } from './source.ts';
import type { Column } from './table.ts';

export const command: Command = {
  name: 'shares',
  about: 'List active share links, newest first, or revoke one.',
  options: {
    session: { type: 'string', value: 'ID', about: 'Only links to this session.' },
    revoke: { type: 'string', value: 'LINK', about: 'Revoke this link and remove its page.' },
    ...LIST_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code shares --remote', 'List the links on the server.'],
    ['fuel-code shares --remote --revoke 01KA3T', 'Revoke the link whose id starts with 01KA3T.'],
  ],
  run: async (context, args) => {
    await using source = await openSource(context, args);
    const revoked = args.values.get('revoke');
    if (revoked !== undefined) {
      await source.send('DELETE /shares/:share_id', { params: { share_id: revoked } });
      if (args.flags.has('json')) return printJson(context.terminal, { revoked });
      return say(context.terminal, 'Link revoked; its page has been removed.');
    }
    const session = args.values.get('session');
    const { shares: rows } =
      session === undefined
        ? await source.get('/shares')
        : await source.get('/sessions/:id/shares', { params: { id: session } });
    const empty = 'No links. Create one with `fuel-code share <id>`.\n';
    await printList(context, args, {
      name: 'shares',
      rows,
      columns: columns(context.clock.now()),
      csv: CSV_COLUMNS,
      empty,
    });
  },
};

const CSV_COLUMNS = [
  'id',
  'session_id',
  'title',
  'note',
  'size_bytes',
  'redacted',
  'created_at',
  'expires_at',
] as const;

const ID_CHARS = 13;
const SESSION_ID_CHARS = 8;

function columns(now: Date): readonly Column<Share>[] {
  return [
    { title: 'ID', text: ({ id }) => id.slice(0, ID_CHARS) },
    { title: 'SESSION', fromColumns: 80, text: ({ session_id }) => session_id.slice(0, SESSION_ID_CHARS) },
    { title: 'TITLE', grows: true, text: ({ title }) => title },
    { title: 'NOTE', fromColumns: 120, maxColumns: 30, text: ({ note }) => note ?? '' },
    { title: 'SIZE', align: 'right', fromColumns: 90, text: ({ size_bytes }) => formatBytes(size_bytes) },
    { title: 'SHARED', fromColumns: 100, text: ({ created_at }) => formatAgo(created_at, now) },
    { title: 'EXPIRES', text: ({ expires_at }) => formatDate(expires_at) },
  ];
}

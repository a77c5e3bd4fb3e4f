import type { DeviceRow } from '../store/queries/devices.ts';
import { type Command, REMOTE_OPTIONS } from './command.ts';
import { runTokenAct } from './device-tokens.ts';
import { formatAgo, formatCount } from './format.ts';
import { LIST_OPTIONS, printList } from './list.ts';
import { openSource } from './source.ts';
import type { Column } from './table.ts';

export const command: Command = {
  name: 'devices',
  about: 'List the machines whose sessions are kept, last seen first; on a server, give each a token of its own.',
  operands: '[add NAME | revoke NAME | tokens]',
  maxOperands: 2,
  options: {
    'write-only': { type: 'boolean', about: 'With add: the token may bring sessions, but read none.' },
    ...LIST_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code devices', 'Which machines there are.'],
    ['fuel-code sessions --device laptop', 'What was done on one of them.'],
    ['fuel-code devices add laptop', 'Print a token for the laptop, once.'],
    ['fuel-code devices add build-server --write-only', 'It may bring sessions, but read none.'],
    ['fuel-code devices tokens', 'Which tokens there are, and when each was last used.'],
    ['fuel-code devices revoke laptop', 'It was lost: its token is valid no longer.'],
  ],
  run: async (context, args) => {
    if (args.positionals.length > 0) return runTokenAct(context, args);
    await using source = await openSource(context, args);
    const rows = await source.reads.listDevices();
    const empty = 'No machine has imported anything yet: run fuel-code backfill.\n';
    const shown = columns(context.clock.now(), source.ownDeviceId);
    printList(context.terminal, args, { name: 'devices', rows, columns: shown, csv: CSV_COLUMNS, empty });
  },
};

const CSV_COLUMNS = [
  'id',
  'name',
  'type',
  'hostname',
  'os',
  'arch',
  'status',
  'sessions',
  'first_seen_at',
  'last_seen_at',
  'last_session_at',
] as const;

const ID_CHARS = 10;

function columns(now: Date, ownId: string | null): readonly Column<DeviceRow>[] {
  return [
    { title: 'NAME', grows: true, text: ({ id, name }) => (id === ownId ? `${name} (this one)` : name) },
    { title: 'SYSTEM', fromColumns: 60, maxColumns: 20, text: ({ os, arch }) => [os, arch].filter(Boolean).join(' ') },
    { title: 'SESSIONS', align: 'right', text: ({ sessions }) => formatCount(sessions) },
    {
      title: 'LAST SESSION',
      fromColumns: 80,
      text: ({ last_session_at }) => (last_session_at === null ? '–' : formatAgo(last_session_at, now)),
    },
    { title: 'LAST SEEN', text: ({ last_seen_at }) => formatAgo(last_seen_at, now) },
    { title: 'ID', fromColumns: 100, text: ({ id }) => id.slice(0, ID_CHARS) },
  ];
}

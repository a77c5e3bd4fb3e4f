import type { DeviceRow } from '../api/answers/around.ts';
import { FuelError } from '../domain/errors.ts';
import { formatAgo, formatCompact } from '../reading/format.ts';
import { type Command, type CommandContext, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { runTokenAction } from './device-tokens.ts';
import { printJson } from './json.ts';
import { LIST_OPTIONS, printList } from './list.ts';
import { say } from './say.ts';
import { openSource } from './source.ts';
import type { Column } from './table.ts';

export const command: Command = {
  name: 'devices',
  about: 'List, rename and merge the devices whose sessions are kept; on a server, give each a token of its own.',
  operands: '[rename DEVICE NAME | merge FROM INTO | add NAME | revoke NAME | tokens]',
  maxOperands: 3,
  options: {
    'write-only': { type: 'boolean', about: 'With add: the token may bring sessions, but read none.' },
    device: { type: 'string', value: 'DEVICE', about: 'With add: a device that the server knows already.' },
    ...LIST_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code devices', 'Which machines there are.'],
    ['fuel-code sessions --device laptop', 'What was done on one of them.'],
    ['fuel-code devices rename laptop "Work laptop"', 'Give a device another name.'],
    ['fuel-code devices merge old-laptop laptop', 'One machine that got a new id: its sessions belong together.'],
    ['fuel-code devices add laptop', 'Print a token for the laptop, once.'],
    ['fuel-code devices add build-server --write-only', 'It may bring sessions, but read none.'],
    ['fuel-code devices tokens', 'Which tokens there are, and when each was last used.'],
    ['fuel-code devices revoke laptop', 'It was lost: its token is valid no longer.'],
  ],
  run: async (context, args) => {
    const [act = ''] = args.positionals;
    if (act === 'rename' || act === 'merge') return decide(context, args, act);
    if (act !== '') return runTokenAction(context, args);
    await using source = await openSource(context, args);
    const { devices: rows } = await source.get('/devices');
    const empty = 'No device has imported anything yet: run fuel-code backfill.\n';
    const shown = columns(context.clock.now(), source.ownDeviceId);
    await printList(context, args, { name: 'devices', rows, columns: shown, csv: CSV_COLUMNS, empty });
  },
};

/** Errors: usage, not_found, ambiguous. */
async function decide(context: CommandContext, args: ParsedArguments, act: 'rename' | 'merge'): Promise<void> {
  const [, device = '', other = ''] = args.positionals;
  if (other === '') {
    const operands = act === 'rename' ? 'DEVICE NAME' : 'FROM INTO';
    throw new FuelError('usage', `fuel-code devices ${act} needs two values: ${operands}.`);
  }
  await using source = await openSource(context, args);
  const body = act === 'rename' ? { name: other } : { merge_into: other };
  await source.send('PATCH /devices/:device_id', { params: { device_id: device }, body });
  const done = act === 'rename' ? `Renamed ${device} to ${other}.` : `Merged ${device} into ${other}.`;
  if (args.flags.has('json')) return printJson(context.terminal, { ok: true });
  say(context.terminal, done);
}

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
    { title: 'SESSIONS', align: 'right', text: ({ sessions }) => formatCompact(sessions) },
    {
      title: 'LAST SESSION',
      fromColumns: 80,
      text: ({ last_session_at }) => (last_session_at === null ? '–' : formatAgo(last_session_at, now)),
    },
    { title: 'STATUS', fromColumns: 90, text: ({ status }) => status },
    { title: 'LAST SEEN', text: ({ last_seen_at }) => formatAgo(last_seen_at, now) },
    { title: 'ID', fromColumns: 100, text: ({ id }) => id.slice(0, ID_CHARS) },
  ];
}

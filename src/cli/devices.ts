import type { BrowserKey } from '../api/browser-keys.ts';
import type { DeviceRow } from '../api/workspaces.ts';
import { type DeviceTokenRow, issueDeviceToken, listDeviceTokens, revokeDeviceToken } from '../app/access-keys.ts';
import { shortDeviceId } from '../domain/device.ts';
import { FuelError, refuseEmpty } from '../domain/errors.ts';
import { formatAgo, formatCompact } from '../reading/format.ts';
import { type Command, type CommandContext, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { LIST_OPTIONS, printJson, printLine, printList, printNote } from './output.ts';
import { isRemote, openSource } from './source.ts';
import type { Column } from './table.ts';

export const command: Command = {
  name: 'devices',
  about: 'List, rename and merge devices; manage the access of devices and browsers.',
  actions: {
    rename: 'DEVICE NAME',
    merge: 'FROM INTO',
    add: 'NAME',
    revoke: 'NAME',
    tokens: '',
    browsers: '',
    'revoke-browser': 'ID',
  },
  options: {
    'write-only': {
      type: 'boolean',
      actions: ['add'],
      about: 'With add: the token can upload sessions but not read any.',
    },
    device: {
      type: 'string',
      value: 'DEVICE',
      actions: ['add'],
      about: 'With add: id of a device the server already knows.',
    },
    ...LIST_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code devices', 'List devices.'],
    ['fuel-code sessions --device laptop', 'List the sessions of one device.'],
    ['fuel-code devices rename laptop "Work laptop"', 'Rename a device.'],
    ['fuel-code devices merge old-laptop laptop', 'Merge two entries for the same machine.'],
    ['fuel-code devices add laptop', 'Create a token for a device; it is shown once.'],
    ['fuel-code devices add build-server --write-only', 'Create a token that can upload sessions but not read any.'],
    ['fuel-code devices tokens', 'List tokens and when each was last used.'],
    ['fuel-code devices revoke laptop', 'Revoke the token of a lost device.'],
    ['fuel-code devices browsers', 'List browsers with access to the web interface.'],
    ['fuel-code devices revoke-browser 5f0c', 'Revoke the access of a browser.'],
  ],
  run: async (context, args) => {
    const [act = ''] = args.positionals;
    if (act === 'rename' || act === 'merge') return decide(context, args, act);
    if (act === 'browsers') return listBrowsers(context, args);
    if (act === 'revoke-browser') return revokeBrowser(context, args);
    if (act !== '') return runTokenAction(context, args, act as keyof typeof TOKEN_ACTIONS);
    await using source = await openSource(context, args);
    const { devices: rows } = await source.get('/devices');
    const empty = 'No devices yet. Run `fuel-code backfill` to import your sessions.\n';
    const shown = columns(context.clock.now(), source.ownDeviceId);
    await printList(context, args, { name: 'devices', rows, columns: shown, csv: CSV_COLUMNS, empty });
  },
};

async function listBrowsers(context: CommandContext, args: ParsedArguments): Promise<void> {
  await using source = await openSource(context, args);
  const { keys } = await source.get('/browser-keys');
  const empty = 'No browsers with access. Run `fuel-code` and open the URL it prints.\n';
  const shown = browserColumns(context.clock.now());
  await printList(context, args, { name: 'browsers', rows: keys, columns: shown, csv: BROWSER_CSV_COLUMNS, empty });
}

const BROWSER_CSV_COLUMNS = ['id', 'name', 'created_at', 'last_used_at'] as const;

function browserColumns(now: Date): readonly Column<BrowserKey>[] {
  return [
    { title: 'NAME', grows: true, text: ({ name }) => name },
    { title: 'ADDED', fromColumns: 60, text: ({ created_at }) => formatAgo(created_at, now) },
    { title: 'LAST USED', text: ({ last_used_at }) => formatAgo(last_used_at, now) },
    { title: 'ID', text: ({ id }) => id },
  ];
}

/** Errors: not_found, ambiguous. */
async function revokeBrowser(context: CommandContext, args: ParsedArguments): Promise<void> {
  const [, wanted = ''] = args.positionals;
  refuseEmpty(wanted, 'browser id');
  await using source = await openSource(context, args);
  const found = (await source.get('/browser-keys')).keys.filter(({ id }) => id.startsWith(wanted));
  const [key, other] = found;
  if (key === undefined)
    throw new FuelError('not_found', `No browser id starts with ${JSON.stringify(wanted)}.`, BROWSER_HINT);
  if (other !== undefined)
    throw new FuelError('ambiguous', `Several browser ids start with ${JSON.stringify(wanted)}.`, BROWSER_HINT);
  await source.send('DELETE /browser-keys/:key_id', { params: { key_id: key.id } });
  if (args.flags.has('json')) return printJson(context.terminal, { id: key.id, is_revoked: true });
  printLine(context.terminal, `Revoked the access of ${key.name}.`);
}

const BROWSER_HINT = { hint: '`fuel-code devices browsers` lists them.' };

/** Errors: not_found, ambiguous. */
async function decide(context: CommandContext, args: ParsedArguments, act: 'rename' | 'merge'): Promise<void> {
  const [, device = '', other = ''] = args.positionals;
  await using source = await openSource(context, args);
  const body = act === 'rename' ? { name: other } : { merge_into: other };
  await source.send('PATCH /devices/:device_id', { params: { device_id: device }, body });
  const done = act === 'rename' ? `Renamed ${device} to ${other}.` : `Merged ${device} into ${other}.`;
  if (args.flags.has('json')) return printJson(context.terminal, { ok: true });
  printLine(context.terminal, done);
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

function columns(now: Date, ownId: string | null): readonly Column<DeviceRow>[] {
  return [
    { title: 'NAME', grows: true, text: ({ id, name }) => (id === ownId ? `${name} (this device)` : name) },
    { title: 'SYSTEM', fromColumns: 60, maxColumns: 20, text: ({ os, arch }) => [os, arch].filter(Boolean).join(' ') },
    { title: 'SESSIONS', align: 'right', text: ({ sessions }) => formatCompact(sessions) },
    {
      title: 'LAST SESSION',
      fromColumns: 80,
      text: ({ last_session_at }) => formatAgo(last_session_at, now),
    },
    { title: 'STATUS', fromColumns: 90, text: ({ status }) => status },
    { title: 'LAST SEEN', text: ({ last_seen_at }) => formatAgo(last_seen_at, now) },
    { title: 'ID', fromColumns: 100, text: ({ id }) => shortDeviceId(id) },
  ];
}

const TOKEN_ACTIONS = { add: addToken, revoke: revokeToken, tokens: listTokens };
const MAX_NAME_CHARS = 100;

/** Manages device tokens on the server itself. Errors: usage. */
async function runTokenAction(
  context: CommandContext,
  args: ParsedArguments,
  action: keyof typeof TOKEN_ACTIONS,
): Promise<void> {
  if (isRemote(args)) {
    throw new FuelError('usage', 'Device tokens can only be managed on the server itself.', {
      hint: 'Run the command on the server, without --remote or --server.',
    });
  }
  await TOKEN_ACTIONS[action](context, args);
}

/** The token is printed once; only its hash is stored. */
async function addToken({ openApp, clock, terminal }: CommandContext, args: ParsedArguments): Promise<void> {
  const name = tokenNameOf(args);
  const isWriteOnly = args.flags.has('write-only');
  await using app = await openApp();
  const device = args.values.get('device');
  const token = await issueDeviceToken(app.store.engine.kysely, { name, isWriteOnly, device }, clock.now());
  if (args.flags.has('json')) return printJson(terminal, { name, token });
  terminal.out(`${token}\n`);
  printNote(terminal, `Token for ${name}; it is not shown again. Set serverToken to this value on that device.`);
}

async function revokeToken({ openApp, clock, terminal }: CommandContext, args: ParsedArguments): Promise<void> {
  const name = tokenNameOf(args);
  await using app = await openApp();
  await revokeDeviceToken(app.store.engine.kysely, name, clock.now().toISOString());
  if (args.flags.has('json')) return printJson(terminal, { name, is_revoked: true });
  printLine(terminal, `The token for ${name} is no longer valid. Sessions already uploaded with it are kept.`);
}

function tokenNameOf({ positionals: [action = '', name = ''] }: ParsedArguments): string {
  if (/^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u.test(name) && name.length <= MAX_NAME_CHARS) return name;
  throw new FuelError('usage', 'A token name must be one line of up to 100 characters.', {
    hint: `Example: fuel-code devices ${action} laptop`,
  });
}

async function listTokens(context: CommandContext, args: ParsedArguments): Promise<void> {
  await using app = await context.openApp();
  const rows = await listDeviceTokens(app.store.engine.kysely);
  const empty = 'No device tokens. Create one with `fuel-code devices add NAME`.\n';
  await printList(context, args, {
    name: 'tokens',
    rows,
    columns: tokenColumns(context.clock.now()),
    csv: TOKEN_CSV_COLUMNS,
    empty,
  });
}

const TOKEN_CSV_COLUMNS = ['name', 'may', 'device', 'created_at', 'last_used_at', 'revoked_at'] as const;

function tokenColumns(now: Date): readonly Column<DeviceTokenRow>[] {
  return [
    { title: 'NAME', grows: true, text: ({ name }) => name },
    { title: 'ACCESS', fromColumns: 60, text: ({ may }) => may },
    { title: 'DEVICE', fromColumns: 100, text: ({ device }) => device ?? '–' },
    { title: 'ADDED', fromColumns: 80, text: ({ created_at }) => formatAgo(created_at, now) },
    { title: 'LAST USED', text: ({ last_used_at }) => formatAgo(last_used_at, now) },
    { title: 'REVOKED', text: ({ revoked_at }) => formatAgo(revoked_at, now), style: () => 'red' },
  ];
}

import { type DeviceTokenRow, issueDeviceToken, listDeviceTokens, revokeDeviceToken } from '../app/device-tokens.ts';
import { FuelError } from '../domain/errors.ts';
import { formatAgo } from '../reading/format.ts';
import type { CommandContext, ParsedArguments } from './command.ts';
import { printJson } from './json.ts';
import { printList } from './list.ts';
import { remark, say } from './say.ts';
import { isRemote } from './source.ts';
import type { Column } from './table.ts';

type Action = (context: CommandContext, args: ParsedArguments) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { add, revoke, tokens: list };
const MAX_NAME_CHARS = 100;

/** Manages device tokens on the server itself. Errors: usage. */
export async function runTokenAction(context: CommandContext, args: ParsedArguments): Promise<void> {
  const [name = ''] = args.positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    throw new FuelError('usage', `Unknown action ${JSON.stringify(name)} for fuel-code devices.`, {
      hint: 'Valid actions: rename, merge, add, revoke, tokens.',
    });
  }
  if (isRemote(args)) {
    throw new FuelError('usage', 'Device tokens can only be managed on the server itself.', {
      hint: 'Run the command on the server, without --remote or --server.',
    });
  }
  await action(context, args);
}

/** The token is printed once; only its hash is stored. */
async function add({ openApp, clock, terminal }: CommandContext, args: ParsedArguments): Promise<void> {
  const name = nameOf(args);
  const isWriteOnly = args.flags.has('write-only');
  await using app = await openApp();
  const device = args.values.get('device');
  const token = await issueDeviceToken(app.store.engine.kysely, { name, isWriteOnly, device }, clock.now());
  if (args.flags.has('json')) return printJson(terminal, { name, token });
  terminal.out(`${token}\n`);
  remark(terminal, `Token for ${name}; it is not shown again. Set serverToken to this value on that device.`);
}

async function revoke({ openApp, clock, terminal }: CommandContext, args: ParsedArguments): Promise<void> {
  const name = nameOf(args);
  await using app = await openApp();
  await revokeDeviceToken(app.store.engine.kysely, name, clock.now().toISOString());
  if (args.flags.has('json')) return printJson(terminal, { name, is_revoked: true });
  say(terminal, `The token for ${name} is no longer valid. Sessions already uploaded with it are kept.`);
}

function nameOf({ positionals: [, name = ''] }: ParsedArguments): string {
  if (/^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u.test(name) && name.length <= MAX_NAME_CHARS) return name;
  throw new FuelError('usage', 'A token name must be one line of up to 100 characters.', {
    hint: 'Example: fuel-code devices add laptop',
  });
}

async function list(context: CommandContext, args: ParsedArguments): Promise<void> {
  await using app = await context.openApp();
  const rows = await listDeviceTokens(app.store.engine.kysely);
  const empty = 'No device tokens. Create one with `fuel-code devices add NAME`.\n';
  await printList(context, args, {
    name: 'tokens',
    rows,
    columns: columns(context.clock.now()),
    csv: CSV_COLUMNS,
    empty,
  });
}

const CSV_COLUMNS = ['name', 'may', 'device', 'created_at', 'last_used_at', 'revoked_at'] as const;

function columns(now: Date): readonly Column<DeviceTokenRow>[] {
  const ago = (at: string | null) => (at === null ? '–' : formatAgo(at, now));
  return [
    { title: 'NAME', grows: true, text: ({ name }) => name },
    { title: 'MAY', fromColumns: 60, text: ({ may }) => may },
    { title: 'DEVICE', fromColumns: 100, text: ({ device }) => device ?? '–' },
    { title: 'ADDED', fromColumns: 80, text: ({ created_at }) => ago(created_at) },
    { title: 'LAST USED', text: ({ last_used_at }) => ago(last_used_at) },
    { title: 'REVOKED', text: ({ revoked_at }) => ago(revoked_at) },
  ];
}

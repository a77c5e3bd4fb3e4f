import { createHash, randomBytes } from 'node:crypto';
import { FuelError } from '../domain/errors.ts';
import {
  addDeviceToken,
  type DeviceTokenRow,
  lastDeviceOf,
  listDeviceTokens,
  revokeDeviceToken,
} from '../store/queries/devices/device-tokens.ts';
import type { Tx } from '../store/engine.ts';
import { findDevice, findDeviceByName } from '../store/queries/devices/devices.ts';
import type { CommandContext, ParsedArguments } from './command.ts';
import { formatAgo } from './format.ts';
import { printJson } from './json.ts';
import { printList } from './list.ts';
import { remark, say } from './say.ts';
import { isRemote } from './source.ts';
import type { Column } from './table.ts';

type Act = (context: CommandContext, args: ParsedArguments) => Promise<void>;

const ACTS: Readonly<Record<string, Act>> = { add, revoke, tokens: list };
const MAX_NAME_CHARS = 100;
const ID_BYTES = 8;
const SECRET_BYTES = 32;

/** What is done with the tokens of devices, on the server itself. Errors: usage. */
export async function runTokenAct(context: CommandContext, args: ParsedArguments): Promise<void> {
  const [name = ''] = args.positionals;
  const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
  if (act === undefined) {
    throw new FuelError('usage', `Unknown action ${JSON.stringify(name)} for fuel-code devices.`, {
      hint: 'Valid actions: rename, merge, add, revoke, tokens.',
    });
  }
  if (isRemote(args)) {
    throw new FuelError('usage', 'Tokens are given and taken on the server itself.', {
      hint: 'Run the command there, without --remote and --server.',
    });
  }
  await act(context, args);
}

/** The only moment at which the token is known: what is kept of it is its hash. */
async function add({ openApp, clock, terminal }: CommandContext, args: ParsedArguments): Promise<void> {
  const name = nameOf(args);
  const id = randomBytes(ID_BYTES).toString('hex');
  const token = `dev_${id}_${randomBytes(SECRET_BYTES).toString('hex')}`;
  const sha256 = createHash('sha256').update(token).digest('hex');
  const isWriteOnly = args.flags.has('write-only');
  await using app = await openApp();
  const { kysely } = app.store.engine;
  const deviceId = await deviceFor(kysely, name, args.values.get('device'));
  await addDeviceToken(kysely, { id, name, sha256, isWriteOnly, deviceId }, clock.now().toISOString());
  if (args.flags.has('json')) return printJson(terminal, { name, token });
  terminal.out(`${token}\n`);
  remark(terminal, `This is the token of ${name}; it is not shown again. Set serverToken to it there.`);
}

/**
 * The device that a new token is for: the one given, the one that the last token of this name belonged to, or the one
 * that has this name. Null for a device that the server has not heard of yet. Errors: not_found, ambiguous.
 */
async function deviceFor(db: Tx, name: string, given: string | undefined): Promise<string | null> {
  if (given !== undefined) return (await findDevice(db, given)).id;
  const last = await lastDeviceOf(db, name);
  return last ?? (await findDeviceByName(db, name));
}

async function revoke({ openApp, clock, terminal }: CommandContext, args: ParsedArguments): Promise<void> {
  const name = nameOf(args);
  await using app = await openApp();
  await revokeDeviceToken(app.store.engine.kysely, name, clock.now().toISOString());
  if (args.flags.has('json')) return printJson(terminal, { name, is_revoked: true });
  say(terminal, `The token of ${name} is no longer valid. What it brought stays.`);
}

function nameOf({ positionals: [, name = ''] }: ParsedArguments): string {
  if (/^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u.test(name) && name.length <= MAX_NAME_CHARS) return name;
  throw new FuelError('usage', 'A token needs a name: one line of up to 100 characters.', {
    hint: 'For example: fuel-code devices add laptop',
  });
}

async function list(context: CommandContext, args: ParsedArguments): Promise<void> {
  await using app = await context.openApp();
  const rows = await listDeviceTokens(app.store.engine.kysely);
  const empty = 'No device has a token of its own: give one with fuel-code devices add NAME.\n';
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

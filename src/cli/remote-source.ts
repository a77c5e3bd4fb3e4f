import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchStatus } from '../api/sessions.ts';
import type { CommandName } from '../api/table.ts';
import type { PageFile } from '../app/data-source.ts';
import type { Client, Transport } from '../client/client.ts';
import { followLive } from '../client/live.ts';
import { connectServer } from '../client/prove-server.ts';
import type { Config } from '../config.ts';
import { FuelError } from '../domain/errors.ts';
import { isUnencrypted, MAX_PAGE_ROWS, readServerUrl } from '../domain/requests.ts';
import { archivedName } from '../reading/names.ts';
import type { CommandContext, ParsedArguments } from './command.ts';
import { printNote } from './output.ts';
import { allPages, type Derived, type Followed, type FollowOptions, type Source } from './source.ts';

/** A server, through its API. Errors: usage, bad_config, unreachable, unauthorized. */
export async function openRemoteSource(context: CommandContext, args: ParsedArguments): Promise<Source> {
  const { config } = context.loaded;
  const address = readAddress(config, args);
  const client = await connect(address, context.signal);
  return {
    get: client.get as unknown as Source['get'],
    send: sendTo(client),
    exportSession: async (id, query) => fileOf(await client.get('/sessions/:id/export', { params: { id }, query })),
    reparse: (which) => reparse(context, client, which),
    follow: (options) => follow(context, client, options),
    isImporting: false,
    ownDeviceId: await context.deviceId(),
    pageAddress: `${address.origin}/#token=${address.token}`,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Maps `PATCH /sessions/:id` to `client.patch('/sessions/:id')`. */
function sendTo(client: Client): Source['send'] {
  const send = (name: CommandName, input?: object) => {
    const [method = '', path = ''] = name.split(' ');
    const call = client[method.toLowerCase() as keyof Client] as (path: string, input?: object) => unknown;
    return call(path, input);
  };
  return send as Source['send'];
}

function fileOf(response: Response): PageFile {
  const name = /filename\*=UTF-8''(.+)$/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? '';
  return { fileName: archivedName(name), texts: textsOf(response) };
}

async function* textsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) yield decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw new FuelError('unreachable', 'The export ended early.', { hint: 'Try again.', cause });
  }
}

/** Reconnects after a lost connection and reports each loss once. */
async function* follow(
  { terminal, signal }: CommandContext,
  client: Client,
  { sessionId, since }: FollowOptions,
): AsyncGenerator<Followed> {
  let isCut = false;
  const onBroken = () => {
    if (!isCut) printNote(terminal, 'The server is not responding; retrying.');
    isCut = true;
  };
  const options = {
    signal,
    onBroken,
    ...(sessionId === null ? { every: true } : { sessionId }),
    ...(since === undefined ? {} : { lastEventId: since }),
  };
  for await (const news of followLive(client, options)) {
    isCut = false;
    yield news;
  }
}

async function reparse({ signal }: CommandContext, client: Client, which: readonly string[] | 'all'): Promise<Derived> {
  const ids = which === 'all' ? await listUnarchived(client) : which;
  for (const id of ids) await client.post('/sessions/:id/reparse', { params: { id } });
  return waitUntilParsed(client, ids, { signal });
}

async function listUnarchived(client: Client): Promise<readonly string[]> {
  const ids: string[] = [];
  const fetch = (cursor: string | undefined) => client.get('/sessions', { query: { limit: MAX_PAGE_ROWS, cursor } });
  for await (const { sessions } of allPages(fetch)) {
    ids.push(...sessions.filter(({ lifecycle }) => lifecycle !== 'archived').map(({ id }) => id));
  }
  return ids;
}

export interface Address {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly token: string;
}

/** The server to use and its token. Errors: usage, bad_config. */
function readAddress(config: Config, { values }: ParsedArguments): Address {
  const given = values.get('server');
  const url = given === undefined ? config.serverUrl : readServerUrl(given);
  if (url === null) throw given === undefined ? noServer() : badAddress(given);
  const { origin } = new URL(url);
  if (isUnencrypted(url) && !config.serverAllowHttp) {
    throw new FuelError('bad_config', `${origin} is on another machine and not encrypted.`, {
      hint: 'Use https, or set serverAllowHttp if you trust the network.',
    });
  }
  if (config.serverToken !== null) return { origin, token: config.serverToken };
  throw new FuelError('bad_config', `No token configured for the server at ${origin}.`, {
    hint: 'Set serverToken or FUEL_CODE_SERVER_TOKEN to the contents of the file `token` in the data folder of the server.',
  });
}

function noServer(): FuelError {
  return new FuelError('bad_config', 'No server is configured.', {
    hint: 'Set serverUrl and serverToken, or use --server; see docs/self-hosting.md.',
  });
}

function badAddress(given: string): FuelError {
  const shown = JSON.stringify(given.replace(/#.*$/s, '#…'));
  return new FuelError('usage', `--server must be a URL such as https://fuel.example.org, not ${shown}.`, {
    hint: 'Do not put the token in the URL; set FUEL_CODE_SERVER_TOKEN instead.',
  });
}

const PROOF_TIMEOUT_MS = 15_000;

/** A client for that server, after the server has proved that it knows the token. Errors: unreachable, unauthorized. */
export function connect({ origin, token }: Address, stop: AbortSignal): Promise<Client> {
  const proofSignal = AbortSignal.timeout(PROOF_TIMEOUT_MS);
  return connectServer({ origin, token, transport: transportTo(origin, stop), proofSignal });
}

/** `fetch` that is aborted with the command and names the server in errors. */
function transportTo(origin: string, stop: AbortSignal): Transport {
  return async (url, init) => {
    const signal = AbortSignal.any([stop, ...(init.signal ? [init.signal] : [])]);
    const response = await fetch(url, { ...init, signal }).catch((cause: unknown) => {
      throw stop.aborted
        ? new FuelError('interrupted', 'Interrupted before the server responded.')
        : notResponding(origin, cause);
    });
    if (await lacksRoute(response)) throw tooOld(origin);
    return response;
  };
}

function notResponding(origin: string, thrown: unknown): FuelError {
  const { cause = thrown } = thrown as { readonly cause?: unknown };
  const { code, message } = cause as { readonly code?: string; readonly message?: string };
  return new FuelError(
    'unreachable',
    `The server at ${origin} is not responding: ${NETWORK_ERRORS[code ?? ''] ?? code ?? message ?? 'unknown error'}.`,
    {
      hint: 'Check that it is running and that the URL is correct.',
      cause: thrown,
    },
  );
}

const NETWORK_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'unknown host name',
  ETIMEDOUT: 'timed out',
  UND_ERR_CONNECT_TIMEOUT: 'timed out',
};

async function lacksRoute(response: Response): Promise<boolean> {
  if (response.status === 405) return true;
  if (response.status !== 404) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return Object(Object(body).error).code === 'unknown_route';
}

function tooOld(origin: string): FuelError {
  return new FuelError('unreachable', `The server at ${origin} does not support this request.`, {
    hint: 'It runs an older version of fuel-code; update it.',
  });
}

const ASK_EVERY_MS = 500;
/** Well below the maximum number of ids per request. */
const IDS_AT_ONCE = 1_000;

/** Waits until the server has reparsed the sessions. Errors: interrupted when aborted; the server continues. */
export async function waitUntilParsed(
  client: Client,
  ids: readonly string[],
  { signal, askEveryMs = ASK_EVERY_MS }: { readonly signal: AbortSignal; readonly askEveryMs?: number },
): Promise<Derived> {
  const done: Status[] = [];
  for (let waiting = ids; waiting.length > 0; ) {
    const session_ids = waiting.slice(0, IDS_AT_ONCE);
    const { statuses } = await client.post('/sessions/batch-status', { body: { session_ids } });
    const open = statuses.filter(isOpen);
    done.push(...statuses.filter((status) => !isOpen(status)));
    waiting = [...open.map(({ id }) => id), ...waiting.slice(IDS_AT_ONCE)];
    if (open.length > 0) await sleep(askEveryMs, undefined, { signal }).catch(stopped);
  }
  const failed = done.filter(({ parse_status }) => parse_status === 'failed');
  return {
    sessions_parsed: done.filter(({ parse_status }) => parse_status === 'completed').length,
    failed: failed.map(({ id, parse_error }) => ({ path: id, error: parse_error ?? '' })),
  };
}

type Status = BatchStatus['statuses'][number];

/** A session without any uploaded bytes has nothing to parse. */
function isOpen({ lifecycle, parse_status }: Status): boolean {
  return lifecycle !== 'detected' && (parse_status === 'pending' || parse_status === 'parsing');
}

function stopped(): never {
  throw new FuelError('interrupted', 'Stopped waiting; the server continues reparsing.');
}

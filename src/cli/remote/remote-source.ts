import type { CommandName } from '../../api/table.ts';
import type { Client } from '../../client/client.ts';
import type { LiveNews } from '../../api/live.ts';
import { followLive } from '../../client/live.ts';
import { FuelError } from '../../domain/errors.ts';
import { MAX_PAGE_ROWS } from '../../domain/page-rows.ts';
import { archivedName } from '../../reading/names.ts';
import type { PageFile } from '../../app/data-source.ts';
import { allPages } from '../all-pages.ts';
import type { CommandContext, ParsedArguments } from '../command.ts';
import { remark } from '../say.ts';
import type { Derived, Source } from '../source.ts';
import { connect, readAddress } from './connect.ts';
import { waitUntilParsed } from './wait-until-parsed.ts';

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
    follow: ({ sessionId }) => follow(context, client, sessionId),
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
  sessionId: string | null,
): AsyncGenerator<LiveNews> {
  let isCut = false;
  const onBroken = () => {
    if (!isCut) remark(terminal, 'The server is not responding; retrying.');
    isCut = true;
  };
  const options = { signal, onBroken, ...(sessionId === null ? {} : { sessionId }) };
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

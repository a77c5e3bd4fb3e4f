import type { Duplex } from 'node:stream';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { FuelError } from '../../domain/errors.ts';
import { slowQuestion } from '../slow-question.ts';
import { POSTGRES_TYPES } from './types.ts';

const MAX_CONNECTIONS = 10;
/** F7: also how long a question waits for one of the connections that others use. */
const CONNECT_TIMEOUT_MS = 5_000;
/** F2: as long as a claim. Who stops in the middle of a transaction must not hold its rows for ever. */
const MAX_IDLE_IN_TRANSACTION_MS = 60_000;
/** F5: so long a query may be silent before the server is asked whether it is still at it. */
const SILENT_MS = 15_000;

export interface PoolOptions {
  readonly url: string;
  readonly onIdleError: (error: Error) => void;
  readonly silentMs?: number;
  /** H14: no statement takes longer. Errors: timeout. */
  readonly maxStatementMs?: number;
}

/** Connections to a PostgreSQL server; one that is away is a `store_unavailable` to whoever asks. */
export function openPool({ url, onIdleError, silentMs = SILENT_MS, maxStatementMs }: PoolOptions): PostgresPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    idle_in_transaction_session_timeout: MAX_IDLE_IN_TRANSACTION_MS,
    ...(maxStatementMs === undefined ? {} : { statement_timeout: maxStatementMs }),
    types: POSTGRES_TYPES,
    application_name: 'fuel-code',
  });
  // Without a listener, a restart of the server kills this process while its connections idle.
  pool.on('error', onIdleError);
  return {
    connect: async () => watched(await pool.connect().catch(refuseConnection), { url, silentMs }),
    end: () => pool.end(),
    options: pool.options,
  };
}

interface Watch {
  readonly url: string;
  readonly silentMs: number;
}

/** F4: a server that restarts or goes away is said to be away, whatever it looked like here. */
function watched(client: pg.PoolClient, watch: Watch): PostgresPoolClient {
  // In use and between two queries, a broken connection would end this process; the next query tells of it.
  const onError = () => {};
  client.on('error', onError);
  const release = () => {
    client.removeListener('error', onError);
    client.release();
  };
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const saying = (...args: unknown[]) => {
    const answer = query(...args);
    return answer instanceof Promise ? whileAtWork(client, answer, watch).catch(sayWhy) : answer;
  };
  return { query: saying, release } as PostgresPoolClient;
}

/** What @types/pg does not tell of a client. */
interface Connected {
  readonly processID: number;
  readonly connection: { readonly stream: Duplex };
}

function insideOf(client: pg.ClientBase): Connected {
  return client as unknown as Connected;
}

/** Ends a connection without waiting for the other side: whoever waits for an answer on it is told. */
export function cut(client: pg.ClientBase): void {
  insideOf(client).connection.stream.destroy();
}

/**
 * F5: an answer may take as long as it likes while the server is at it. When the server knows nothing of it, or cannot be
 * reached, the connection is half open and no answer will ever come: it is cut.
 */
async function whileAtWork<T>(client: pg.PoolClient, answer: Promise<T>, { url, silentMs }: Watch): Promise<T> {
  let isAnswered = false;
  const look = async () => {
    const isAtWork = await askWhetherAtWork(url, insideOf(client).processID);
    if (isAnswered) return;
    if (isAtWork) timer = setTimeout(() => void look(), silentMs);
    else cut(client);
  };
  let timer = setTimeout(() => void look(), silentMs);
  try {
    return await answer;
  } finally {
    isAnswered = true;
    clearTimeout(timer);
  }
}

async function askWhetherAtWork(connectionString: string, processId: number): Promise<boolean> {
  const timeouts = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CONNECT_TIMEOUT_MS };
  const client = new pg.Client({ connectionString, ...timeouts, application_name: 'fuel-code' });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ own: number; state: string | null }>(
      'SELECT pg_backend_pid() AS own, (SELECT state FROM pg_stat_activity WHERE pid = $1) AS state',
      [processId],
    );
    // A pooler between us gives numbers of its own: then all that can be known is that the server answers.
    const isPooled = rows[0]?.own !== insideOf(client).processID;
    return isPooled || rows[0]?.state === 'active';
  } catch {
    // Whatever kept it from answering keeps the other connection from it, too.
    return false;
  } finally {
    cut(client);
  }
}

/** Connection exceptions, shut-downs and crashes of the server, by their SQLSTATE or the socket's own word. */
const AWAY_CODES = /^(08|57P|25P03)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)$/;
const AWAY_TEXTS = /connection terminated|connection ended|not queryable|timeout exceeded/i;

const QUERY_CANCELED = '57014';
const DISK_FULL = '53100';
/** data_corrupted, index_corrupted */
const DAMAGED: ReadonlySet<string> = new Set(['XX001', 'XX002']);

function sayWhy(error: unknown): never {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (code === QUERY_CANCELED) throw slowQuestion(error);
  if (code === DISK_FULL) {
    throw new FuelError('disk_full', `The disk of the PostgreSQL server is full: ${message}.`, {
      hint: 'Free some space there, then try again; what was complete before is safe.',
      cause: error,
    });
  }
  if (DAMAGED.has(code ?? '')) {
    throw new FuelError('store_corrupt', `The PostgreSQL database is damaged: ${message}.`, {
      hint: 'Restore it from a backup, or run `fuel-code rebuild` with DATABASE_URL of an empty database.',
      cause: error,
    });
  }
  if (AWAY_CODES.test(code ?? '') || AWAY_TEXTS.test(message ?? '')) refuseConnection(error);
  throw error;
}

function refuseConnection(cause: unknown): never {
  const why = cause instanceof Error ? cause.message || (cause as { code?: string }).code : String(cause);
  throw new FuelError('store_unavailable', `The PostgreSQL database cannot be reached: ${why}.`, {
    hint: 'Check DATABASE_URL and that the server is running and lets this user in.',
    cause,
  });
}

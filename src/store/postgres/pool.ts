import type { Duplex } from 'node:stream';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { FuelError } from '../../domain/errors.ts';
import { queryTimeout } from '../engine.ts';
import { createPreparer } from './named-statements.ts';
import { POSTGRES_TYPES } from './open.ts';

const MAX_CONNECTIONS = 10;
/** F7: limit for opening a connection, and for waiting until one of the pool is free. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Background work waits longer for a busy server instead of failing. */
const PATIENT_CONNECT_MS = 60_000;
/** F2: as long as a claim. A process that stops inside a transaction must not keep its rows locked. */
const MAX_IDLE_IN_TRANSACTION_MS = 60_000;
/** F5: how long a query may be silent before we check whether the server is still working on it. */
const SILENT_MS = 15_000;

export interface PoolOptions {
  readonly url: string;
  readonly onIdleError: (error: Error) => void;
  readonly silentMs?: number;
  /** Nobody waits for the answers. */
  readonly isBackground?: boolean;
  /** H14: limit for every statement. Errors: timeout. */
  readonly maxStatementMs?: number;
}

/** Opens connections to a PostgreSQL server; an unreachable one causes `store_unavailable`. */
export function openPool(options: PoolOptions): PostgresPool {
  const { url, onIdleError, silentMs = SILENT_MS, isBackground = false, maxStatementMs } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: isBackground ? PATIENT_CONNECT_MS : CONNECT_TIMEOUT_MS,
    keepAlive: true,
    idle_in_transaction_session_timeout: MAX_IDLE_IN_TRANSACTION_MS,
    ...(maxStatementMs === undefined ? {} : { statement_timeout: maxStatementMs }),
    types: POSTGRES_TYPES,
    application_name: 'fuel-code',
  });
  // Without a listener, a server restart would crash this process while its connections are idle.
  // Its connections may still be closing when the pool has ended; their errors are not reported.
  pool.on('error', (error) => {
    if (!pool.ending) onIdleError(error);
  });
  // Requests differ in how much they read, so each gets a plan of its own; an import repeats the same statements.
  const prepare = maxStatementMs === undefined ? createPreparer() : null;
  return {
    connect: async (): Promise<PostgresPoolClient> => {
      const client = await pool.connect().catch(refuseConnection);
      const plain = watched(client, { url, silentMs });
      if (prepare === null) return plain as PostgresPoolClient;
      try {
        return {
          ...plain,
          query: await prepare(client, internalsOf(client).processID, plain.query),
        } as PostgresPoolClient;
      } catch (error) {
        plain.release();
        throw error;
      }
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

interface Watch {
  readonly url: string;
  readonly silentMs: number;
}

/** F4: reports a restarting or unreachable server as unavailable, whatever the error looks like here. */
function watched(client: pg.PoolClient, watch: Watch) {
  // While checked out and between two queries, a broken connection would crash this process; the next query reports it.
  const onError = () => {};
  client.on('error', onError);
  const release = () => {
    client.removeListener('error', onError);
    client.release();
  };
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const explained = (...args: unknown[]) => {
    const answer = query(...args);
    return answer instanceof Promise ? whileWorking(client, answer, watch).catch(throwExplained) : answer;
  };
  return { query: explained, release };
}

/** Members of a client that @types/pg does not declare. */
interface Connected {
  readonly processID: number;
  readonly connection: { readonly stream: Duplex };
}

function internalsOf(client: pg.ClientBase): Connected {
  return client as unknown as Connected;
}

/** Closes a connection without waiting for the other side; pending queries on it fail. */
export function destroyConnection(client: pg.ClientBase): void {
  internalsOf(client).connection.stream.destroy();
}

/**
 * F5: a query may take as long as the server works on it. If the server does not know the query or cannot be reached,
 * the connection is half open and no answer will arrive: close it.
 */
async function whileWorking<T>(client: pg.PoolClient, answer: Promise<T>, { url, silentMs }: Watch): Promise<T> {
  let isAnswered = false;
  const look = async () => {
    const isWorking = await isServerWorking(url, internalsOf(client).processID);
    if (isAnswered) return;
    if (isWorking) timer = setTimeout(() => void look(), silentMs);
    else destroyConnection(client);
  };
  let timer = setTimeout(() => void look(), silentMs);
  try {
    return await answer;
  } finally {
    isAnswered = true;
    clearTimeout(timer);
  }
}

async function isServerWorking(connectionString: string, processId: number): Promise<boolean> {
  const timeouts = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CONNECT_TIMEOUT_MS };
  const client = new pg.Client({ connectionString, ...timeouts, application_name: 'fuel-code' });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ own: number; state: string | null }>(
      'SELECT pg_backend_pid() AS own, (SELECT state FROM pg_stat_activity WHERE pid = $1) AS state',
      [processId],
    );
    // A connection pooler assigns its own process ids; then we only know that the server answers.
    const isPooled = rows[0]?.own !== internalsOf(client).processID;
    return isPooled || rows[0]?.state === 'active';
  } catch {
    // Whatever blocks the first connection blocks the second one too.
    return false;
  } finally {
    destroyConnection(client);
  }
}

/** Connection errors, shutdowns and crashes of the server, by SQLSTATE or socket error code. */
const UNAVAILABLE_CODES = /^(08|57P|25P03)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)$/;
const UNAVAILABLE_TEXTS = /connection terminated|connection ended|not queryable|timeout exceeded/i;

const QUERY_CANCELED = '57014';
const DISK_FULL = '53100';
/** data_corrupted, index_corrupted */
const DAMAGED: ReadonlySet<string> = new Set(['XX001', 'XX002']);

function throwExplained(error: unknown): never {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (code === QUERY_CANCELED) throw queryTimeout(error);
  if (code === DISK_FULL) {
    throw new FuelError('disk_full', `The disk of the PostgreSQL server is full: ${message}.`, {
      hint: 'Free some space there and try again. Data already stored is safe.',
      cause: error,
    });
  }
  if (DAMAGED.has(code ?? '')) {
    throw new FuelError('store_corrupt', `The PostgreSQL database is damaged: ${message}.`, {
      hint: 'Restore it from a backup, or run `fuel-code rebuild` with DATABASE_URL of an empty database.',
      cause: error,
    });
  }
  if (UNAVAILABLE_CODES.test(code ?? '') || UNAVAILABLE_TEXTS.test(message ?? '')) refuseConnection(error);
  throw error;
}

function refuseConnection(cause: unknown): never {
  const why = cause instanceof Error ? cause.message || (cause as { code?: string }).code : String(cause);
  throw new FuelError('store_unavailable', `Cannot reach the PostgreSQL database: ${why}.`, {
    hint: 'Check DATABASE_URL, that the server is running and that this user may log in.',
    cause,
  });
}

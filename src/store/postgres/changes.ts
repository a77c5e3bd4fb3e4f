import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type Engine, HAS_ENDED, SHOWN_COLUMNS } from '../engine.ts';
import { destroyConnection, type PoolOptions } from './pool.ts';

const CHANNEL = 'fuel_code_changes';
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
/** How often an idle connection is probed, and how long the probe may take. */
const SILENT_MS = 12_000;

/**
 * Changes are numbered at commit, under the lock of one row: after number n no smaller number can appear. The
 * notification is sent with the commit.
 */
const SCHEMA = [
  `INSERT INTO change_clock (epoch, seq) VALUES (substr(md5(random()::text || clock_timestamp()::text), 1, 8), 0)`,
  `CREATE FUNCTION note_session_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE next BIGINT;
    BEGIN
      UPDATE change_clock SET seq = seq + 1 RETURNING seq INTO next;
      INSERT INTO session_changes (session_id, seq) VALUES (NEW.id, next)
        ON CONFLICT (session_id) DO UPDATE SET seq = EXCLUDED.seq;
      PERFORM pg_notify('${CHANNEL}', '');
      RETURN NULL;
    END $$`,
  `CREATE CONSTRAINT TRIGGER session_changed AFTER INSERT OR UPDATE OF ${SHOWN_COLUMNS} ON sessions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_session_change()`,
];

const noteChange = (hasEnded: string) =>
  `CREATE OR REPLACE FUNCTION note_session_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE next BIGINT;
    BEGIN
      UPDATE change_clock SET seq = seq + 1 RETURNING seq INTO next;
      IF TG_OP = 'DELETE' THEN
        INSERT INTO session_changes AS c (session_id, seq, is_deleted) VALUES (OLD.id, next, TRUE)
          ON CONFLICT (session_id) DO UPDATE SET seq = EXCLUDED.seq, is_deleted = TRUE;
      ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO session_changes AS c (session_id, seq, first_seq) VALUES (NEW.id, next, next)
          ON CONFLICT (session_id) DO UPDATE
          SET seq = EXCLUDED.seq, first_seq = EXCLUDED.seq, ended_seq = 0, is_deleted = FALSE;
      ELSE
        INSERT INTO session_changes AS c (session_id, seq, ended_seq)
          VALUES (NEW.id, next, CASE WHEN ${hasEnded} THEN next ELSE 0 END)
          ON CONFLICT (session_id) DO UPDATE
          SET seq = EXCLUDED.seq, ended_seq = greatest(c.ended_seq, EXCLUDED.ended_seq), is_deleted = FALSE;
      END IF;
      PERFORM pg_notify('${CHANNEL}', '');
      RETURN NULL;
    END $$`;

/** Record which sessions are new, have ended or were deleted as well. */
const KINDS = [
  noteChange(HAS_ENDED[39]),
  `CREATE CONSTRAINT TRIGGER session_deleted AFTER DELETE ON sessions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_session_change()`,
];

const LATER: Readonly<Record<number, readonly string[]>> = { 39: KINDS, 44: [noteChange(HAS_ENDED[44])] };

/**
 * PostgreSQL refuses to alter a table with pending trigger events ("because it has pending trigger events"). All
 * migrations run in one transaction, so the changes of one are recorded before the next starts.
 */
const NOTE_CHANGES_NOW = ['SET CONSTRAINTS ALL IMMEDIATE', 'SET CONSTRAINTS ALL DEFERRED'];

/** LISTENs on its own connection. When that breaks, it reconnects and reports one change for everything it missed. */
export function postgresChanges({
  url,
  onIdleError: onBroken,
  silentMs = SILENT_MS,
}: PoolOptions): Pick<Engine, 'changeSchema' | 'onChange'> {
  return {
    changeSchema: (version) =>
      version === 8 ? SCHEMA : version > 8 ? [...NOTE_CHANGES_NOW, ...(LATER[version] ?? [])] : [],
    onChange: (listener) => {
      const stop = new AbortController();
      const ended = listenUntil(stop.signal, { connectionString: url, silentMs, listener, onBroken });
      return {
        close: async () => {
          stop.abort();
          await ended;
        },
      };
    },
  };
}

interface Listen {
  readonly connectionString: string;
  readonly silentMs: number;
  readonly listener: () => void;
  readonly onBroken: (error: Error) => void;
}

async function listenUntil(signal: AbortSignal, listen: Listen): Promise<void> {
  const { connectionString, silentMs, listener, onBroken } = listen;
  const timeouts = { connectionTimeoutMillis: silentMs, query_timeout: silentMs };
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const client = new pg.Client({ connectionString, ...timeouts, application_name: 'fuel-code changes' });
    const closed = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', onBroken);
    client.on('notification', listener);
    const onAbort = () => void client.end().catch(onBroken);
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      pauseMs = FIRST_PAUSE_MS;
      listener();
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      await probeUntil(client, closed, silentMs);
    } catch (error) {
      onBroken(error as Error);
    }
    signal.removeEventListener('abort', onAbort);
    // Rejects only when aborted.
    await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}

/** F5: a client that only listens never notices a dead connection unless it sends a query now and then. */
async function probeUntil(client: pg.Client, closed: Promise<void>, silentMs: number): Promise<void> {
  const ask = () => client.query('SELECT 1').catch(() => destroyConnection(client));
  const timer = setInterval(() => void ask(), silentMs);
  await closed;
  clearInterval(timer);
}

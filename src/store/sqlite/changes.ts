import { type Engine, SHOWN_COLUMNS } from '../engine.ts';
import type { SqliteHandle } from './driver.ts';

const LOOK_MS = 250;

const NOTE = `BEGIN
  UPDATE change_clock SET seq = seq + 1;
  INSERT INTO session_changes (session_id, seq) VALUES (NEW.id, (SELECT seq FROM change_clock))
    ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq;
END`;

/**
 * SQLite does not notify other processes. `PRAGMA data_version` reads one number in shared memory (measured: 4 µs), so
 * it is polled four times a second while there is a listener, and never otherwise.
 */
export function sqliteChanges(handle: SqliteHandle): Pick<Engine, 'changeSchema' | 'onChange'> {
  return {
    changeSchema: (version) =>
      version === 8
        ? [
            'INSERT INTO change_clock (epoch, seq) VALUES (lower(hex(randomblob(4))), 0)',
            `CREATE TRIGGER session_inserted AFTER INSERT ON sessions ${NOTE}`,
            `CREATE TRIGGER session_updated AFTER UPDATE OF ${SHOWN_COLUMNS} ON sessions ${NOTE}`,
          ]
        : [],
    onChange: (listener) => {
      // Changes by other connections increase `data_version`; our own appear in `total_changes`.
      const ask = (sql: string) => JSON.stringify(handle.prepare(sql).statement.get());
      const stamp = () => handle.use(() => ask('PRAGMA data_version') + ask('SELECT total_changes()'));
      let last = stamp();
      const timer = setInterval(() => {
        const now = stampOrError(stamp);
        if (now === last) return;
        last = now;
        listener();
      }, LOOK_MS);
      return { close: async () => clearInterval(timer) };
    },
  };
}

/** A database that cannot be read counts as a change; the listener then gets the error from its own query. */
function stampOrError(stamp: () => string): string {
  try {
    return stamp();
  } catch (error) {
    return String(error);
  }
}

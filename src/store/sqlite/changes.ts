import type { DatabaseSync } from 'node:sqlite';
import { type Engine, SHOWN_COLUMNS } from '../engine.ts';

const LOOK_MS = 250;

const NOTE = `BEGIN
  UPDATE change_clock SET seq = seq + 1;
  INSERT INTO session_changes (session_id, seq) VALUES (NEW.id, (SELECT seq FROM change_clock))
    ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq;
END`;

/**
 * SQLite tells other processes nothing. `PRAGMA data_version` is a look at one number in shared memory (measured: 4 µs),
 * so it is asked four times a second while somebody listens, and never otherwise.
 */
export function sqliteChanges(database: DatabaseSync): Pick<Engine, 'changeSchema' | 'onChange'> {
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
      const look = database.prepare('PRAGMA data_version');
      // Changes of other connections count up here; our own do not, so they are seen in `total_changes`.
      const own = database.prepare('SELECT total_changes() AS count');
      const stamp = () => `${String(look.get()?.data_version)} ${String(own.get()?.count)}`;
      let last = stamp();
      const timer = setInterval(() => {
        const now = stamp();
        if (now === last) return;
        last = now;
        listener();
      }, LOOK_MS);
      return { close: async () => clearInterval(timer) };
    },
  };
}

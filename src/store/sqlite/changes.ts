import { type Engine, HAS_ENDED, SHOWN_COLUMNS } from '../engine.ts';
import type { SqliteHandle } from './driver.ts';

const LOOK_MS = 250;

/** The triggers of migration 8; those of migration 39 replace them. */
const NOTE = `BEGIN
  UPDATE change_clock SET seq = seq + 1;
  INSERT INTO session_changes (session_id, seq) VALUES (NEW.id, (SELECT seq FROM change_clock))
    ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq;
END`;

const FIRST = [
  'INSERT INTO change_clock (epoch, seq) VALUES (lower(hex(randomblob(4))), 0)',
  `CREATE TRIGGER session_inserted AFTER INSERT ON sessions ${NOTE}`,
  `CREATE TRIGGER session_updated AFTER UPDATE OF ${SHOWN_COLUMNS} ON sessions ${NOTE}`,
];

const BUMP = 'UPDATE change_clock SET seq = seq + 1;';
const NOW = '(SELECT seq FROM change_clock)';

const noteUpdate = (hasEnded: string) =>
  `CREATE TRIGGER session_updated AFTER UPDATE OF ${SHOWN_COLUMNS} ON sessions BEGIN
    ${BUMP}
    INSERT INTO session_changes (session_id, seq, ended_seq)
      VALUES (NEW.id, ${NOW}, CASE WHEN ${hasEnded} THEN ${NOW} ELSE 0 END)
      ON CONFLICT (session_id) DO UPDATE
      SET seq = excluded.seq, ended_seq = max(ended_seq, excluded.ended_seq), is_deleted = FALSE;
  END`;

/** Record which sessions are new, have ended or were deleted as well. */
const KINDS = [
  'DROP TRIGGER session_inserted',
  'DROP TRIGGER session_updated',
  `CREATE TRIGGER session_inserted AFTER INSERT ON sessions BEGIN
    ${BUMP}
    INSERT INTO session_changes (session_id, seq, first_seq) VALUES (NEW.id, ${NOW}, ${NOW})
      ON CONFLICT (session_id) DO UPDATE
      SET seq = excluded.seq, first_seq = excluded.seq, ended_seq = 0, is_deleted = FALSE;
  END`,
  noteUpdate(HAS_ENDED[39]),
  `CREATE TRIGGER session_deleted AFTER DELETE ON sessions BEGIN
    ${BUMP}
    INSERT INTO session_changes (session_id, seq, is_deleted) VALUES (OLD.id, ${NOW}, TRUE)
      ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, is_deleted = TRUE;
  END`,
];

const SCHEMA: Readonly<Record<number, readonly string[]>> = {
  8: FIRST,
  39: KINDS,
  44: ['DROP TRIGGER session_updated', noteUpdate(HAS_ENDED[44])],
};

/**
 * SQLite does not notify other processes. `PRAGMA data_version` reads one number in shared memory (measured: 4 µs), so
 * it is polled four times a second while there is a listener, and never otherwise.
 */
export function sqliteChanges(handle: SqliteHandle): Pick<Engine, 'changeSchema' | 'onChange'> {
  return {
    changeSchema: (version) => SCHEMA[version] ?? [],
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

import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FuelError } from '../../domain/errors.ts';
import { explainSqlite } from './errors.ts';

const MAX_REMEMBERED_STATEMENTS = 400;

export interface RememberedStatement {
  readonly statement: StatementSync;
  readonly isReader: boolean;
}

/**
 * The connection to a database file. `fuel-code rebuild` replaces the file: open handles switch to the new one between
 * two transactions. Every error is explained.
 */
export class SqliteHandle {
  readonly #path: string;
  readonly #open: () => DatabaseSync;
  readonly #statements = new Map<string, RememberedStatement>();
  #database: DatabaseSync;
  #file: string | null;

  /** `watchedPath` is null when the file cannot be replaced: in memory, or our own copy. */
  constructor(path: string, watchedPath: string | null, open: () => DatabaseSync) {
    this.#path = path;
    this.#open = open;
    this.#database = open();
    this.#file = watchedPath === null ? null : fileAt(watchedPath);
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs work on the connection. Errors: store_corrupt, disk_full, busy, file_unavailable, store_unavailable. */
  use<T>(work: (database: DatabaseSync) => T): T {
    try {
      this.#followFile();
      return work(this.#database);
    } catch (error) {
      throw explainSqlite(error, this.#path);
    }
  }

  /** Prepares a statement once per text. */
  prepare(sql: string): RememberedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= MAX_REMEMBERED_STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    const prepared = { statement, isReader: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #followFile(): void {
    if (this.#file === null || this.#database.isTransaction) return;
    const file = fileAt(this.#path);
    if (file === this.#file) return;
    if (file === null) {
      throw new FuelError('store_unavailable', `The database ${this.#path} was removed while it was open.`, {
        hint: 'Restore it, or run `fuel-code rebuild` to create a new one from the archive.',
      });
    }
    const fresh = this.#open();
    this.#statements.clear();
    this.#database.close();
    this.#database = fresh;
    this.#file = file;
  }
}

function fileAt(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

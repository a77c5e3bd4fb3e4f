import { dirname } from 'node:path';
import { errnoOf, FuelError, fileReasonOf, toFuelError } from '../../domain/errors.ts';
import { isDiskFull } from '../../lib/private-file.ts';

/** Primary result codes of SQLite: the low byte of the code from node:sqlite. */
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** Our SQL matches our schema; if it does not, the schema was damaged. */
const DAMAGED_SCHEMA = /^no such (table|column|index)|malformed database schema/;

function sqliteCodeOf(thrown: unknown): number | null {
  if (errnoOf(thrown) !== 'ERR_SQLITE_ERROR') return null;
  return (thrown as { readonly errcode: number }).errcode & 0xff;
}

/** The file, or the schema in it, is damaged. */
export function isDamage(thrown: unknown): boolean {
  const code = sqliteCodeOf(thrown);
  return code === CORRUPT || code === NOTADB || (code === ERROR && DAMAGED_SCHEMA.test((thrown as Error).message));
}

/** Converts a SQLite error to ours, with a hint; other errors pass unchanged. */
export function explainSqlite(thrown: unknown, path: string): unknown {
  const code = sqliteCodeOf(thrown);
  if (code === null || !(thrown instanceof Error)) return thrown;
  if (code === CORRUPT || code === NOTADB) return damaged(path, thrown.message, thrown);
  if (code === ERROR && DAMAGED_SCHEMA.test(thrown.message)) return damaged(path, thrown.message, thrown);
  if (code === FULL || ((code === IOERR || code === CANTOPEN) && isDiskFull(dirname(path))))
    return diskFull(path, thrown);
  if (code === BUSY || code === LOCKED) {
    return new FuelError('busy', 'Another process is writing to the database.', {
      hint: 'Try again when it has finished.',
      cause: thrown,
    });
  }
  if (code === READONLY) return readOnly(path, thrown);
  if (code === IOERR || code === CANTOPEN) return unavailable(path, thrown);
  return thrown;
}

/** Converts a file system error about opening a database; other errors pass unchanged. */
export function explainFile(thrown: unknown, path: string): unknown {
  if (thrown instanceof FuelError || !(thrown instanceof Error) || errnoOf(thrown) === undefined) return thrown;
  const error = toFuelError(thrown);
  if (error.code !== 'file_unavailable') return error;
  const { why, hint } = fileReasonOf(thrown);
  return new FuelError('store_unavailable', `The database ${path} cannot be opened: ${why}.`, { hint, cause: thrown });
}

function damaged(path: string, why: string, cause?: unknown): FuelError {
  return new FuelError('store_corrupt', `The database ${path} is damaged: ${why}.`, {
    hint: 'Run `fuel-code rebuild` to create a new database from the archive; the old one is kept.',
    cause,
  });
}

function diskFull(path: string, cause: unknown): FuelError {
  return new FuelError('disk_full', `Could not write the database ${path}: the disk is full.`, {
    hint: 'Free some space and try again. Data already stored is safe.',
    cause,
  });
}

function readOnly(path: string, cause: unknown): FuelError {
  return new FuelError('file_unavailable', `Could not write the database ${path}: it is read-only.`, {
    hint: `Make ${dirname(path)} and its contents writable for the account that runs fuel-code.`,
    cause,
  });
}

function unavailable(path: string, cause: Error): FuelError {
  return new FuelError('store_unavailable', `The database ${path} cannot be opened or read: ${cause.message}.`, {
    hint: `Check that ${dirname(path)} belongs to this account and that its disk works and is not full.`,
    cause,
  });
}

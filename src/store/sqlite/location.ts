import { chmodSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { FuelError } from '../../domain/errors.ts';
import { canAccess, makeFolder } from '../../lib/private-file.ts';
import { createPrivate, searchPathOf, temporarySearchPath } from './search-file.ts';

/** How and where a database is opened. */
export interface DatabaseLocation {
  readonly location: string | URL;
  readonly isReadOnly: boolean;
  /** True when no other process can replace the file. */
  readonly isFixed: boolean;
  /** The file with the full text. */
  readonly searchPath: string;
  /** How to read it while nothing is writable; null when it is missing. */
  readonly searchToRead: string | URL | null;
  /** Removes a temporary copy that was made for reading. */
  remove(): void;
}

type FileToRead = Omit<DatabaseLocation, 'searchPath' | 'searchToRead'>;

/** Determines whether the database is writable and, if not, how to read it. Errors: file_unavailable. */
export function locateDatabase(path: string): DatabaseLocation {
  if (path === ':memory:') {
    const { path: searchPath, remove } = temporarySearchPath();
    return { location: path, isReadOnly: false, isFixed: true, searchPath, searchToRead: null, remove };
  }
  const searchPath = searchPathOf(path);
  if (!isWritable(path)) {
    const database = locateForReading(path);
    const search = canAccess(searchPath, constants.R_OK) ? locateForReading(searchPath) : null;
    const remove = () => {
      database.remove();
      search?.remove();
    };
    return {
      ...database,
      isFixed: database.isFixed || search?.isFixed !== false,
      searchPath,
      searchToRead: search?.location ?? null,
      remove,
    };
  }
  makePrivate(path);
  return { location: path, isReadOnly: false, isFixed: false, searchPath, searchToRead: null, remove: () => {} };
}

function isWritable(path: string): boolean {
  const folder = dirname(path);
  if (!existsSync(folder)) return true;
  return canAccess(folder, constants.W_OK | constants.X_OK) && (!existsSync(path) || canAccess(path, constants.W_OK));
}

function makePrivate(path: string): void {
  makeFolder(dirname(path), 0o700);
  createPrivate(path);
  // SQLite gives its -wal and -shm files the mode of the database file.
  if ((statSync(path).mode & 0o777) !== 0o600) chmodSync(path, 0o600);
}

/**
 * A database in WAL mode needs two more files even for reading. If they exist or can be created, it is read in place.
 * If the WAL is empty, the file alone is complete; otherwise a copy is read.
 */
function locateForReading(path: string): FileToRead {
  if (!canAccess(path, constants.R_OK)) throw nothingToRead(path);
  const asItIs = { location: path, isReadOnly: true, isFixed: false, remove: () => {} };
  if (opens(asItIs.location)) return asItIs;
  const wal = `${path}-wal`;
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 0) return copyOf(path, wal);
  const location = pathToFileURL(path);
  location.searchParams.set('immutable', '1');
  return { location, isReadOnly: true, isFixed: true, remove: () => {} };
}

function opens(location: string): boolean {
  try {
    const database = new DatabaseSync(location, { readOnly: true });
    try {
      database.prepare('SELECT count(*) FROM sqlite_master').get();
      return true;
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

function copyOf(path: string, wal: string): FileToRead {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-read-'));
  const location = join(folder, 'fuel.db');
  copyFileSync(path, location);
  copyFileSync(wal, `${location}-wal`);
  for (const copy of [location, `${location}-wal`]) chmodSync(copy, 0o600);
  return { location, isReadOnly: true, isFixed: true, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function nothingToRead(path: string): FuelError {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    return new FuelError('file_unavailable', `The data folder ${folder} is not a folder.`, {
      hint: 'Set FUEL_CODE_HOME to a folder.',
    });
  }
  const what = existsSync(path) ? 'its database cannot be read' : 'it contains no database yet';
  return new FuelError('file_unavailable', `The data folder ${folder} is not writable, and ${what}.`, {
    hint: `Give the account that runs fuel-code access to ${folder}, or set FUEL_CODE_HOME to another folder.`,
  });
}

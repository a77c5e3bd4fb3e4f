import { accessSync, chmodSync, closeSync, constants, copyFileSync, existsSync, mkdtempSync, openSync } from 'node:fs';
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { FuelError } from '../../domain/errors.ts';
import { makeFolder } from '../../lib/private-file.ts';

/** How and where a database is opened. */
export interface DatabaseLocation {
  readonly location: string | URL;
  readonly isReadOnly: boolean;
  /** True when no other process can replace the file. */
  readonly isFixed: boolean;
  /** Removes a temporary copy that was made for reading. */
  remove(): void;
}

/** Determines whether the database is writable and, if not, how to read it. Errors: file_unavailable. */
export function locateDatabase(path: string): DatabaseLocation {
  if (path === ':memory:') return { location: path, isReadOnly: false, isFixed: true, remove: () => {} };
  if (!isWritable(path)) return locateForReading(path);
  makePrivate(path);
  return { location: path, isReadOnly: false, isFixed: false, remove: () => {} };
}

function isWritable(path: string): boolean {
  const folder = dirname(path);
  if (!existsSync(folder)) return true;
  return mayUse(folder, constants.W_OK | constants.X_OK) && (!existsSync(path) || mayUse(path, constants.W_OK));
}

function mayUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function makePrivate(path: string): void {
  makeFolder(dirname(path), 0o700);
  closeSync(openSync(path, 'a', 0o600));
  // SQLite gives its -wal and -shm files the mode of the database file.
  if ((statSync(path).mode & 0o777) !== 0o600) chmodSync(path, 0o600);
}

/**
 * A database in WAL mode needs two more files even for reading. If they exist or can be created, it is read in place.
 * If the WAL is empty, the file alone is complete; otherwise a copy is read.
 */
function locateForReading(path: string): DatabaseLocation {
  if (!mayUse(path, constants.R_OK)) throw nothingToRead(path);
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

function copyOf(path: string, wal: string): DatabaseLocation {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-read-'));
  const location = join(folder, 'fuel.db');
  copyFileSync(path, location);
  copyFileSync(wal, `${location}-wal`);
  for (const copy of [location, `${location}-wal`]) chmodSync(copy, 0o600);
  return { location, isReadOnly: true, isFixed: true, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function nothingToRead(path: string): FuelError {
  const folder = dirname(path);
  const what = existsSync(path) ? 'its database cannot be read' : 'it contains no database yet';
  return new FuelError('file_unavailable', `The data folder ${folder} is not writable, and ${what}.`, {
    hint: `Give the account that runs fuel-code access to ${folder}, or set FUEL_CODE_HOME to another folder.`,
  });
}

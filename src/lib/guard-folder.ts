import { chmodSync, lstatSync } from 'node:fs';
import process from 'node:process';
import { FuelError } from '../domain/errors.ts';
import { makePrivateFolder } from './private-file.ts';

/**
 * Ensures that a folder exists, is not a link, belongs to us and is private. True if others had access to it before.
 * Errors: bad_config for a link, a file or another user's folder; none of them is followed or changed.
 */
export function guardFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    makePrivateFolder(path);
    return false;
  }
  const why = reasonAgainst(stat);
  if (why !== null) {
    throw new FuelError('bad_config', `${path} ${why}. For safety, fuel-code does not use it.`, {
      hint: 'Find out why, then move it away; fuel-code creates a new folder in its place.',
    });
  }
  if ((stat.mode & 0o777) !== 0o700) chmodSync(path, 0o700);
  return (stat.mode & 0o077) !== 0;
}

function reasonAgainst(stat: { isSymbolicLink(): boolean; isDirectory(): boolean; readonly uid: number }) {
  if (stat.isSymbolicLink()) return 'is a symbolic link';
  if (!stat.isDirectory()) return 'is not a folder';
  return isOurs(stat.uid) ? null : 'belongs to another user';
}

export function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

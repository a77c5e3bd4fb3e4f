import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { FuelError } from '../domain/errors.ts';
import { listNames, readTextFile } from './private-file.ts';
import { identityOf, isAlive, type ProcessIdentity, parseIdentity } from './process-identity.ts';

/** A folder as it was when it was opened. Its path may have been removed or replaced since. */
export interface HeldFolder {
  readonly path: string;
  /** Which folder was at the path: its device and inode. */
  readonly id: string;
  isSame(): boolean;
  /** Errors: data_folder_moved. */
  check(): void;
}

/**
 * Remembers which folder is at a path, or was when another thread opened it. Errors: those of the file system.
 */
export function holdFolder(path: string, id = folderId(path)): HeldFolder {
  const isSame = () => {
    try {
      return folderId(path) === id;
    } catch {
      return false;
    }
  };
  return {
    path,
    id,
    isSame,
    check: () => {
      if (!isSame()) throw movedError(path);
    },
  };
}

function movedError(path: string): FuelError {
  return new FuelError('data_folder_moved', `The data folder ${path} was moved, replaced or deleted while in use.`, {
    hint: 'Nothing was written to the old path. Move it back, or set FUEL_CODE_HOME to its new location, then start again.',
  });
}

function folderId(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev}:${ino}`;
}

/**
 * A process that runs out of time while shutting down leaves a note in its data folder. The next process then counts no
 * attempt against the sessions it was working on, because they did not crash it.
 */

const FOLDER = 'interrupted';

/** Data folders that this process has open. Kept here because a signal may end the process at any moment. */
const openFolders = new Set<HeldFolder>();

/** Marks the folder as in use until the returned function is called. */
export function useFolder(folder: HeldFolder): () => void {
  openFolders.add(folder);
  return () => openFolders.delete(folder);
}

/** Leaves the note in every data folder in use. Synchronous, since the process is about to end; never throws. */
export function noteInterrupted(): void {
  const identity = identityOf(process.pid);
  for (const folder of openFolders) {
    try {
      if (folder.isSame()) writeNote(folder.path, identity);
    } catch {
      // The folder is not writable or the disk is full: the session counts one attempt and is retried anyway.
    }
  }
}

function writeNote(home: string, identity: ProcessIdentity): void {
  mkdirSync(join(home, FOLDER), { recursive: true, mode: 0o700 });
  writeFileSync(notePath(home, identity), `${JSON.stringify(identity)}\n`, { mode: 0o600 });
}

function notePath(home: string, { pid, started }: ProcessIdentity): string {
  return join(home, FOLDER, `${pid}-${started}.json`);
}

/** The processes that left a note. */
export function listInterrupted(home: string): readonly ProcessIdentity[] {
  return listNames(join(home, FOLDER)).flatMap(
    (name) => parseIdentity(readTextFile(join(home, FOLDER, name)) ?? '') ?? [],
  );
}

/** Removes the notes of these processes, except for those that are still running. */
export function forgetInterrupted(home: string, processes: readonly ProcessIdentity[]): void {
  for (const identity of processes) {
    if (!isAlive(identity)) rmSync(notePath(home, identity), { force: true });
  }
}

import { statSync } from 'node:fs';
import { FuelError } from '../domain/errors.ts';

/** A folder as it was when it was opened. Its path may have been removed or replaced since. */
export interface HeldFolder {
  readonly path: string;
  isSame(): boolean;
  /** Errors: data_folder_moved. */
  check(): void;
}

/** Remembers which folder is at a path, by device and inode. Errors: those of the file system. */
export function holdFolder(path: string): HeldFolder {
  const opened = folderId(path);
  const isSame = () => {
    try {
      return folderId(path) === opened;
    } catch {
      return false;
    }
  };
  return {
    path,
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

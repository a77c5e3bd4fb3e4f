import { appendFile, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ArchiveJournal } from '../domain/ports.ts';
import type { JsonObject } from '../domain/transcript.ts';
import { makePrivateFolder } from '../lib/private-file.ts';
import { diskUnavailable } from './disk-errors.ts';
import { parseJournal } from './journal-lines.ts';

export interface DiskJournalOptions {
  readonly path: string;
  /** Asked before each write: throws when another folder is at the path by now. */
  readonly check?: () => void;
}

/** One file of JSON lines. */
export function openDiskJournal({ path, check = () => {} }: DiskJournalOptions): ArchiveJournal {
  const write = (act: () => Promise<void>) => writeTo(path, check, act);
  return {
    append: (record) => write(() => appendFile(path, `${JSON.stringify(record)}\n`, { mode: 0o600 })),
    flush: () => write(() => appendFile(path, '', { mode: 0o600, flush: true })),
    read: () => readLines(path),
  };
}

async function writeTo(path: string, check: () => void, act: () => Promise<void>): Promise<void> {
  try {
    check();
    makePrivateFolder(dirname(path));
    await act();
  } catch (error) {
    throw diskUnavailable(error, { act: 'write', path });
  }
}

async function* readLines(path: string): AsyncGenerator<JsonObject> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw diskUnavailable(error, { act: 'read', path });
  });
  if (file === null) return;
  try {
    for await (const line of file.readLines()) yield* parseJournal(line);
  } finally {
    await file.close();
  }
}

import { appendFile, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ArchiveJournal } from '../domain/ports.ts';
import type { JsonObject } from '../domain/transcript.ts';
import { makePrivateFolder } from '../lib/private-file.ts';
import { diskUnavailable } from './disk-errors.ts';
import { parseJournal } from './journal-lines.ts';

/** One file of JSON lines. */
export function openDiskJournal({ path }: { readonly path: string }): ArchiveJournal {
  let waiting = '';
  return {
    append: (record) => {
      waiting += `${JSON.stringify(record)}\n`;
    },
    flush: async () => {
      if (waiting === '') return;
      const text = waiting;
      waiting = '';
      await appendDurably(path, text);
    },
    read: () => readLines(path),
  };
}

async function appendDurably(path: string, text: string): Promise<void> {
  try {
    makePrivateFolder(dirname(path));
    await appendFile(path, text, { mode: 0o600, flush: true });
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

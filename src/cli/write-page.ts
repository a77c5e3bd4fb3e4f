import { statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errnoOf, FuelError, toFuelError } from '../domain/errors.ts';
import type { PageFile } from '../app/data-source.ts';

export interface WrittenPage {
  readonly path: string;
  readonly size_bytes: number;
}

const PRIVATE_MODE = 0o600;

/**
 * Writes a page to a new file: the given one, or one with a generated name in the given folder. Errors: usage,
 * file_unavailable.
 */
export async function writePage({ fileName, texts }: PageFile, to: string): Promise<WrittenPage> {
  const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() === true;
  const path = isFolder ? join(resolve(to), fileName) : resolve(to);
  const file = await open(path, 'wx', PRIVATE_MODE).catch((cause: unknown) => {
    throw cannotWrite(path, cause);
  });
  let size_bytes = 0;
  try {
    for await (const text of texts) size_bytes += (await file.write(text)).bytesWritten;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return { path, size_bytes };
}

function cannotWrite(path: string, cause: unknown): FuelError {
  if (errnoOf(cause) !== 'EEXIST') return toFuelError(cause);
  return new FuelError('usage', `${path} already exists. Nothing was changed.`, {
    hint: 'Choose another name or remove the file first.',
    cause,
  });
}

import { createHash, randomBytes } from 'node:crypto';
import { chmod, open, readFile, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { errnoOf, FuelError } from '../domain/errors.ts';
import type { BlobStore } from '../domain/ports.ts';
import { makeFolder } from '../lib/private-file.ts';
import type { Engine } from '../store/engine.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { loadCompanionFiles, loadFilesAt } from '../store/queries/archive/companion-files.ts';
import { readGeneration } from './archive-bytes.ts';
import { currentSessionFiles } from './moved-files.ts';

export interface RestoreOptions {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  /** The target Claude home; files keep their relative paths. */
  readonly to: string;
  /** Project folder to use instead of the original one. */
  readonly projectFolder: string | null;
  /** Overwrite files that differ; otherwise they are kept and reported. */
  readonly replaces: boolean;
  readonly now: Date;
}

export interface SessionRestoreOptions extends RestoreOptions {
  readonly sessionId: string;
}

export interface RestoredFile {
  readonly path: string;
  /** Other sessions use the file too, so it is expected to differ. */
  readonly isShared: boolean;
  readonly outcome: 'written' | 'already there' | 'kept (differs)';
  readonly sizeBytes: number;
  readonly sha256: string;
}

/**
 * Restores a session's files byte for byte, with the plans, team files and project memory that it shares with other
 * sessions. Their mtime is now, because Claude Code deletes old files at its next start. Errors: not_found when nothing
 * of the session is archived.
 */
export async function restoreSession(options: SessionRestoreOptions): Promise<readonly RestoredFile[]> {
  const files = await currentSessionFiles(options, options.sessionId);
  if (files.length === 0) {
    throw new FuelError('not_found', `Session ${options.sessionId} is not in the archive.`);
  }
  const restored: RestoredFile[] = [];
  for (const file of files) restored.push(await restoreFile(options, file, false));
  for (const file of await loadCompanionFiles(options.engine.kysely, files, options.sessionId)) {
    restored.push(await restoreFile(options, file, true));
  }
  return restored;
}

/** Restores archived files by their path in a Claude home: a file or a whole folder. Errors: not_found. */
export async function restorePath(options: RestoreOptions, path: string): Promise<readonly RestoredFile[]> {
  const files = await loadFilesAt(options.engine.kysely, path.replaceAll(/^(\.?\/)+|\/+$/g, ''));
  if (files.length === 0) {
    throw new FuelError('not_found', `Nothing archived at ${JSON.stringify(path)}.`, {
      hint: 'Use a path within the Claude home, for example plans or projects/-home-ada-shop/memory.',
    });
  }
  const restored: RestoredFile[] = [];
  for (const file of files) restored.push(await restoreFile(options, file, false));
  return restored;
}

async function restoreFile(options: RestoreOptions, file: SourceFile, isShared: boolean): Promise<RestoredFile> {
  const path = targetPath(options, file.path);
  const parts: Uint8Array[] = await Array.fromAsync(readGeneration(options, file));
  const sha256 = digest(parts);
  if (file.sha256 !== null && file.sha256 !== sha256) {
    throw new FuelError('blob_corrupt', `The archived bytes of ${file.path} do not match their SHA-256.`, {
      hint: '`fuel-code verify` lists everything that is damaged.',
    });
  }
  const existing = await hashIfThere(path);
  const isThere = existing === sha256;
  const isKept = existing !== null && !isThere && !options.replaces;
  if (!isThere && !isKept) await writeWhole(path, parts);
  if (!isKept && !(isShared && isThere)) await utimes(path, options.now, options.now);
  const outcome = isThere ? 'already there' : isKept ? 'kept (differs)' : 'written';
  return { path, isShared, outcome, sizeBytes: file.archivedBytes, sha256 };
}

/** Paths come from file names on some disk and must not escape the target. */
function targetPath({ to, projectFolder }: RestoreOptions, path: string): string {
  const moved = projectFolder === null ? path : path.replace(/^projects\/[^/]+\//, `projects/${projectFolder}/`);
  const target = resolve(to, moved);
  if (target.startsWith(resolve(to) + sep)) return target;
  throw new FuelError('usage', `The archived path ${JSON.stringify(path)} points outside ${to}.`);
}

function digest(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

async function hashIfThere(path: string): Promise<string | null> {
  try {
    return digest([await readFile(path)]);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function writeWhole(path: string, parts: readonly Uint8Array[]): Promise<void> {
  makeFolder(dirname(path), 0o700);
  const temporary = join(dirname(path), `.fuel-code-${randomBytes(6).toString('hex')}.tmp`);
  const file = await open(temporary, 'wx', 0o600);
  try {
    for (const part of parts) await file.writeFile(part);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}

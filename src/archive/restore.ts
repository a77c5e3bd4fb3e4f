import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { errnoOf, FuelError } from '../domain/errors.ts';
import type { BlobStore } from '../domain/ports.ts';
import { makeFolder, syncFolder } from '../lib/private-file.ts';
import type { Engine } from '../store/engine.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { loadCompanionFiles, loadFilesAt } from '../store/queries/archive/companion-files.ts';
import { hashGeneration, readGeneration } from './archive-bytes.ts';
import { currentSessionFiles } from './moved-files.ts';

interface RestoreOptions {
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

interface SessionRestoreOptions extends RestoreOptions {
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
  for (const file of files) restored.push(await restoreFile(options, { ...file, isShared: false }));
  for (const file of await loadCompanionFiles(options.engine.kysely, files, options.sessionId)) {
    restored.push(await restoreFile(options, { ...file, isShared: true }));
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
  for (const file of files) restored.push(await restoreFile(options, { ...file, isShared: false }));
  return restored;
}

interface FileToRestore extends SourceFile {
  readonly isShared: boolean;
}

async function restoreFile(options: RestoreOptions, file: FileToRestore): Promise<RestoredFile> {
  const path = targetPath(options, file.path);
  const existing = await hashIfThere(path);
  const { outcome, sha256 } =
    existing === null
      ? await writeFile(options, file, path)
      : await restoreOver(options, file, { path, sha256: existing });
  const isUntouched = outcome === 'kept (differs)' || (outcome === 'already there' && file.isShared);
  if (!isUntouched) await utimes(path, options.now, options.now);
  return { path, isShared: file.isShared, outcome, sizeBytes: file.archivedBytes, sha256 };
}

type Outcome = Pick<RestoredFile, 'outcome' | 'sha256'>;

async function restoreOver(
  options: RestoreOptions,
  file: SourceFile,
  existing: { readonly path: string; readonly sha256: string },
): Promise<Outcome> {
  const sha256 = await hashGeneration(options, file);
  ensureIntact(file, sha256);
  if (existing.sha256 === sha256) return { outcome: 'already there', sha256 };
  if (!options.replaces) return { outcome: 'kept (differs)', sha256 };
  return writeFile(options, file, existing.path);
}

function ensureIntact(file: SourceFile, sha256: string): void {
  if (file.sha256 === null || file.sha256 === sha256) return;
  throw new FuelError('blob_corrupt', `The archived bytes of ${file.path} do not match their SHA-256.`, {
    hint: '`fuel-code verify` lists everything that is damaged.',
  });
}

/** Paths come from file names on some disk and must not escape the target. */
function targetPath({ to, projectFolder }: RestoreOptions, path: string): string {
  const moved = projectFolder === null ? path : path.replace(/^projects\/[^/]+\//, `projects/${projectFolder}/`);
  const target = resolve(to, moved);
  if (target.startsWith(resolve(to) + sep)) return target;
  throw new FuelError('usage', `The archived path ${JSON.stringify(path)} points outside ${to}.`);
}

async function hashIfThere(path: string): Promise<string | null> {
  try {
    const hash = createHash('sha256');
    for await (const bytes of createReadStream(path)) hash.update(bytes as Uint8Array);
    return hash.digest('hex');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Writes the file under a temporary name, run by run, and renames it once its bytes are known to be the archived ones. */
async function writeFile(options: RestoreOptions, file: SourceFile, path: string): Promise<Outcome> {
  const folder = dirname(path);
  makeFolder(folder, 0o700);
  const temporary = join(folder, `.fuel-code-${randomBytes(6).toString('hex')}.tmp`);
  try {
    const sha256 = await writeGeneration(options, file, temporary);
    ensureIntact(file, sha256);
    await rename(temporary, path);
    syncFolder(folder);
    return { outcome: 'written', sha256 };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeGeneration(options: RestoreOptions, file: SourceFile, path: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.chmod(0o600);
    for await (const bytes of readGeneration(options, file)) {
      hash.update(bytes);
      await handle.writeFile(bytes);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

import { createHash } from 'node:crypto';
import type { BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { loadSessionFiles, type SourceFile } from '../store/queries/archive.ts';
import { hashGeneration, readGeneration } from './archive-bytes.ts';

interface Deps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
}

/**
 * The files that a session consists of. A transcript that moved (into a worktree and back, or by a restore) is known
 * under two names; the one that is gone is left out where the other begins with every byte of it.
 */
export async function currentSessionFiles(deps: Deps, sessionId: string): Promise<readonly SourceFile[]> {
  const files = await loadSessionFiles(deps.engine.kysely, sessionId);
  const kept: SourceFile[] = [];
  for (const file of files) if (!(await isContinuedElsewhere(deps, file, files))) kept.push(file);
  return kept;
}

async function isContinuedElsewhere(deps: Deps, file: SourceFile, files: readonly SourceFile[]): Promise<boolean> {
  if (file.state !== 'gone') return false;
  for (const other of files) {
    const isSameFile = other.id !== file.id && placeInProject(other) === placeInProject(file);
    if (isSameFile && isLater(other, file) && (await beginsWith(deps, other, file))) return true;
  }
  return false;
}

/** What a move to another project folder does not change. */
function placeInProject({ path }: SourceFile): string {
  return path.replace(/^projects\/[^/]+\//, '');
}

/** Of several names that are gone, one is the last: the longest, else the one we saw last. */
function isLater(other: SourceFile, file: SourceFile): boolean {
  if (other.state !== 'gone') return true;
  if (other.archivedBytes !== file.archivedBytes) return other.archivedBytes > file.archivedBytes;
  return `${other.archivedAt} ${other.id}` > `${file.archivedAt} ${file.id}`;
}

async function beginsWith(deps: Deps, longer: SourceFile, shorter: SourceFile): Promise<boolean> {
  if (longer.archivedBytes < shorter.archivedBytes) return false;
  const hash = createHash('sha256');
  let left = shorter.archivedBytes;
  for await (const bytes of readGeneration(deps.engine, deps.blobs, longer)) {
    hash.update(bytes.subarray(0, left));
    left -= Math.min(left, bytes.length);
    if (left === 0) break;
  }
  const whole = shorter.sha256 ?? (await hashGeneration(deps.engine, deps.blobs, shorter));
  return hash.digest('hex') === whole;
}

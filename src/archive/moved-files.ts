import { createHash } from 'node:crypto';
import { FINGERPRINT_BYTES } from '../lib/sha256.ts';
import { loadFilesOfSessions, loadSessionFiles, type SourceFile } from '../store/queries/archive/archive.ts';
import { hashGeneration, type ReadDeps, readGeneration } from './archive-bytes.ts';

/**
 * Lists the files of a session, each content once. A transcript may be known under several paths: it was moved (into a
 * worktree and back, or by a restore), or its Claude home was copied. A path is left out when the file at another path
 * starts with all of its bytes.
 */
export async function currentSessionFiles(deps: ReadDeps, sessionId: string): Promise<readonly SourceFile[]> {
  return eachOnce(deps, await loadSessionFiles(deps.engine.kysely, sessionId));
}

/** Does the same for several sessions; those without files are absent from the result. */
export async function currentFilesOfSessions(
  deps: ReadDeps,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SourceFile[]>> {
  const current = new Map<string, readonly SourceFile[]>();
  for (const [id, files] of await loadFilesOfSessions(deps.engine.kysely, sessionIds))
    current.set(id, await eachOnce(deps, files));
  return current;
}

async function eachOnce(deps: ReadDeps, files: readonly SourceFile[]): Promise<readonly SourceFile[]> {
  const byPlace = Map.groupBy(files, pathInProject);
  const kept: SourceFile[] = [];
  for (const file of files)
    if (!(await isHeldElsewhere(deps, file, byPlace.get(pathInProject(file)) ?? []))) kept.push(file);
  return kept;
}

async function isHeldElsewhere(deps: ReadDeps, file: SourceFile, names: readonly SourceFile[]): Promise<boolean> {
  for (const other of names)
    if (other.id !== file.id && isPreferred(other, file) && (await beginsWith(deps, other, file))) return true;
  return false;
}

/** The part of the path that a move to another project folder or Claude home does not change. */
function pathInProject({ path }: SourceFile): string {
  return path.replace(/^projects\/[^/]+\//, '');
}

/** Prefers the longest file, then one that still exists; then the oldest path, or the last path if all are gone. */
function isPreferred(other: SourceFile, file: SourceFile): boolean {
  if (other.archivedBytes !== file.archivedBytes) return other.archivedBytes > file.archivedBytes;
  const isGone = file.state === 'gone';
  if ((other.state === 'gone') !== isGone) return isGone;
  return `${other.archivedAt} ${other.id}` > `${file.archivedAt} ${file.id}` === isGone;
}

/** Compares known facts first: reading the archive is much more expensive. */
async function beginsWith(deps: ReadDeps, longer: SourceFile, shorter: SourceFile): Promise<boolean> {
  const isWhole = longer.archivedBytes === shorter.archivedBytes;
  if (isWhole && longer.sha256 !== null && shorter.sha256 !== null) return longer.sha256 === shorter.sha256;
  if (shorter.archivedBytes >= FINGERPRINT_BYTES && longer.headSha256 !== shorter.headSha256) return false;
  const hash = createHash('sha256');
  let left = shorter.archivedBytes;
  for await (const bytes of readGeneration(deps, longer)) {
    hash.update(bytes.subarray(0, left));
    left -= Math.min(left, bytes.length);
    if (left === 0) break;
  }
  const whole = shorter.sha256 ?? (await hashGeneration(deps, shorter));
  return hash.digest('hex') === whole;
}

import type { BlobStore } from '../domain/ports.ts';
import type { ParsedSession } from '../domain/transcript.ts';
import { readGeneration } from '../archive/archive-bytes.ts';
import type { Engine } from '../store/engine.ts';
import { loadFileBeside, type SourceFile } from '../store/queries/archive/archive.ts';
import { isPlausibleTime } from '../transcript/assemble/timestamp.ts';
import type { SessionsIndex, SessionsIndexEntry } from '../transcript/side/session-lists.ts';

/** `sessions-index.json` of a project folder (about 2.1.20) may contain facts that are missing from the transcript. */
export type SessionListing = Pick<
  SessionsIndexEntry,
  'customTitle' | 'summary' | 'gitBranch' | 'projectPath' | 'created' | 'modified'
>;

interface Deps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
}

/** The session's entry in the index beside its transcript, or null. */
export async function readListing(
  deps: Deps,
  sessionId: string,
  transcripts: readonly SourceFile[],
): Promise<SessionListing | null> {
  for (const transcript of transcripts.filter(({ kind }) => kind === 'main')) {
    const file = await loadFileBeside(deps.engine.kysely, transcript, 'sessions-index.json');
    if (file === null) continue;
    const { entries, originalPath } = await readIndex(deps, file);
    const entry = entries.findLast((each) => each.sessionId === sessionId);
    if (entry !== undefined) return { ...entry, projectPath: entry.projectPath ?? originalPath };
  }
  return null;
}

/** Caches the last index, since all sessions of a folder read the same one in sequence. */
let last: { readonly key: string; readonly index: SessionsIndex } | null = null;

async function readIndex(deps: Deps, file: SourceFile): Promise<SessionsIndex> {
  const key = `${file.id}#${file.generation}+${file.archivedBytes}`;
  if (last?.key === key) return last.index;
  const { readSessionsIndex } = await import('../transcript/side/session-lists.ts');
  const parts = await Array.fromAsync(readGeneration(deps.engine, deps.blobs, file));
  const { value: index } = readSessionsIndex(Buffer.concat(parts));
  last = { key, index };
  return index;
}

/** The transcript takes precedence; the index fills in what is missing. */
export function withListing<T extends ParsedSession>(parsed: T, listing: SessionListing | null): T {
  if (listing === null) return parsed;
  const { facts } = parsed;
  const isUndated = facts.startedAt === null;
  return {
    ...parsed,
    facts: {
      ...facts,
      title: facts.title ?? listing.customTitle ?? listing.summary,
      startedAt: isUndated ? plausible(listing.created) : facts.startedAt,
      endedAt: isUndated ? plausible(listing.modified) : facts.endedAt,
      cwds: facts.cwds.length > 0 || listing.projectPath === null ? facts.cwds : [listing.projectPath],
      gitBranches: facts.gitBranches.length > 0 || !listing.gitBranch ? facts.gitBranches : [listing.gitBranch],
    },
  };
}

function plausible(time: string | null): string | null {
  return time !== null && isPlausibleTime(time) ? time : null;
}

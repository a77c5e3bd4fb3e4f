import { type ReadDeps, readGeneration } from '../archive/archive-bytes.ts';
import { currentFilesOfSessions } from '../archive/moved-files.ts';
import { FuelError } from '../domain/errors.ts';
import type { Claim } from '../domain/pipeline.ts';
import { type Lineage, NO_LINEAGE } from '../domain/transcript-structure.ts';
import { loadFilesBeside, type SourceFile } from '../store/queries/archive/archive.ts';
import { readLineages } from '../store/queries/lineage/lineage.ts';
import { type ParseState, readParseStates } from '../store/queries/transcript/save-revision.ts';
import type { SessionsIndex } from '../transcript/side/small-files.ts';
import { listMaskedOf, type MaskingDeps } from './masking.ts';
import { inParseOrder, type SessionListing } from './session-files.ts';

/** The input of a parse: what is stored about a session. */
export interface Fetched extends ParseState {
  readonly all: readonly SourceFile[];
  /** In parse order. */
  readonly transcripts: readonly SourceFile[];
  readonly lineage: Lineage;
  readonly listing: SessionListing | null;
  /** Secrets are masked before anything is read from a record. */
  readonly isMasked: boolean;
}

/** A session to parse, with its claim. */
export interface FetchedSession extends Fetched {
  readonly claim: Claim;
}

/** Reads the versions first: bytes captured while the files are listed are then parsed again rather than missed. */
export async function fetchFiles(
  deps: ReadDeps & MaskingDeps,
  claims: readonly Claim[],
): Promise<readonly FetchedSession[]> {
  const { kysely } = deps.engine;
  const sessionIds = claims.map(({ sessionId }) => sessionId);
  const states = await readParseStates(kysely, sessionIds);
  const files = await currentFilesOfSessions(deps, sessionIds);
  const lineages = await readLineages(kysely, sessionIds);
  const listings = await readListings(deps, files);
  const masked = await listMaskedOf(deps, sessionIds);
  return claims.map((claim) => {
    const { sessionId } = claim;
    const state = states.get(sessionId);
    const all = files.get(sessionId) ?? [];
    if (state === undefined || (all.length === 0 && state.revision > 0)) throw nothingArchived();
    return {
      ...state,
      claim,
      all,
      transcripts: inParseOrder(all),
      lineage: lineages.get(sessionId) ?? NO_LINEAGE,
      listing: listings.get(sessionId) ?? null,
      isMasked: masked.has(sessionId),
    };
  });
}

/** Parsing nothing would replace rows that cannot be restored. */
function nothingArchived(): FuelError {
  return new FuelError('blob_missing', 'The archive has no files of this session, so it cannot be reparsed.', {
    hint: 'Its current data stays available. Run `fuel-code verify` to compare the database with the archive.',
  });
}

/** Each session's entry in the index beside its transcript; sessions without one are absent. */
async function readListings(
  deps: ReadDeps,
  files: ReadonlyMap<string, readonly SourceFile[]>,
): Promise<ReadonlyMap<string, SessionListing>> {
  const mains = [...files.values()].flat().filter(({ kind }) => kind === 'main');
  const indexes = await loadFilesBeside(deps.engine.kysely, mains, 'sessions-index.json');
  const listings = new Map<string, SessionListing>();
  for (const [sessionId, own] of files) {
    for (const { id } of own) {
      const index = indexes.get(id);
      if (index === undefined || listings.has(sessionId)) continue;
      const { entries, originalPath } = await readIndex(deps, index);
      const entry = entries.findLast((each) => each.sessionId === sessionId);
      if (entry !== undefined) listings.set(sessionId, { ...entry, projectPath: entry.projectPath ?? originalPath });
    }
  }
  return listings;
}

/** Caches the last index, since all sessions of a folder read the same one in sequence. */
let last: { readonly key: string; readonly index: SessionsIndex } | null = null;

async function readIndex(deps: ReadDeps, file: SourceFile): Promise<SessionsIndex> {
  const key = `${file.id}#${file.generation}+${file.archivedBytes}`;
  if (last?.key === key) return last.index;
  const { readSessionsIndex } = await import('../transcript/side/small-files.ts');
  const parts = await Array.fromAsync(readGeneration(deps, file));
  const { value: index } = readSessionsIndex(Buffer.concat(parts));
  last = { key, index };
  return index;
}

import { deserialize, serialize } from 'node:v8';
import type { PriceStamp } from '../domain/cost.ts';
import { FuelError } from '../domain/errors.ts';
import type { Claim } from '../domain/pipeline.ts';
import type { CheckedSession, ContentBlock, JsonValue } from '../domain/transcript.ts';
import { type Lineage, NO_LINEAGE } from '../domain/transcript-structure.ts';
import { type ReadDeps, readGeneration } from '../archive/archive-bytes.ts';
import { currentFilesOfSessions } from '../archive/moved-files.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { readLineages } from '../store/queries/lineage/lineage.ts';
import { type BlockKey, blockRows } from '../store/queries/transcript/revision-rows.ts';
import {
  nextRevision,
  type ParseState,
  readParseStates,
  type Revision,
  saveRows,
} from '../store/queries/transcript/save-revision.ts';
import type { DriftReport } from '../transcript/drift.ts';
import { createParser, type ParseOptions, resumeParser, type TranscriptParser } from '../transcript/parser.ts';
import type { SessionState } from '../transcript/state.ts';
import type { KeptParse } from './growing-sessions.ts';
import {
  createOutputReader,
  inParseOrder,
  readListings,
  readMetas,
  type SessionListing,
  toHead,
  withListing,
} from './session-files.ts';

export interface ParseDeps extends ReadDeps {
  readonly price: NonNullable<ParseOptions['price']>;
  readonly priceStamp: PriceStamp;
}

/** The input of a parse. */
export interface Fetched extends ParseState {
  readonly all: readonly SourceFile[];
  /** In parse order. */
  readonly transcripts: readonly SourceFile[];
  readonly metas: ReadonlyMap<string, JsonValue>;
  readonly lineage: Lineage;
  readonly listing: SessionListing | null;
}

/** A session that is to be parsed, with its claim. */
export interface FetchedSession extends Fetched {
  readonly claim: Claim;
}

/** Reads the versions first: bytes captured while the files are listed are then parsed again rather than missed. */
export async function fetchFiles(deps: ParseDeps, claims: readonly Claim[]): Promise<readonly FetchedSession[]> {
  const { kysely } = deps.engine;
  const sessionIds = claims.map(({ sessionId }) => sessionId);
  const states = await readParseStates(kysely, sessionIds);
  const files = await currentFilesOfSessions(deps, sessionIds);
  const lineages = await readLineages(kysely, sessionIds);
  const listings = await readListings(deps, files);
  return Array.fromAsync(claims, async (claim) => {
    const { sessionId } = claim;
    const state = states.get(sessionId);
    const all = files.get(sessionId) ?? [];
    if (state === undefined || (all.length === 0 && state.revision > 0)) throw nothingArchived();
    return {
      ...state,
      claim,
      all,
      transcripts: inParseOrder(all),
      metas: await readMetas(deps, all),
      lineage: lineages.get(sessionId) ?? NO_LINEAGE,
      listing: listings.get(sessionId) ?? null,
    };
  });
}

/** Parsing nothing would replace rows that cannot be restored. */
function nothingArchived(): FuelError {
  return new FuelError('blob_missing', 'The archive has no files of this session, so it cannot be reparsed.', {
    hint: 'Its current data stays available. Run `fuel-code verify` to compare the database with the archive.',
  });
}

export interface Parsed {
  readonly revision: Revision;
  /** Some of its rows are already stored, because there were too many to hold. */
  readonly isBegun: boolean;
  readonly parsed: CheckedSession;
  /** Blocks that are not stored yet and are written with the other rows. */
  readonly blocks: readonly ContentBlock[];
  /** State from which a later parse can continue; null when none was requested. */
  readonly resume: Pick<KeptParse, 'state' | 'files' | 'drift' | 'unsureBlocks'> | null;
}

interface ParseRun {
  /** Called between two chunks of bytes; throws when the work has to stop. */
  readonly checkpoint: () => void;
  /** Where the last parse of this process stopped, if the session has only grown since. */
  readonly kept: KeptParse | null;
  /** The session may still grow. */
  readonly isGrowing: boolean;
}

/** Blocks are buffered up to about this many characters, then written to the store. */
const MAX_BUFFERED_CHARS = 8 * 1024 * 1024;

/** Streams the archived bytes through the parser, from the start or from where the last parse stopped. */
export async function parseFiles(deps: ParseDeps, fetched: FetchedSession, run: ParseRun): Promise<Parsed> {
  const { claim, transcripts } = fetched;
  const { kept } = run;
  const fileIds = transcripts.map(({ id }) => id);
  const next = nextRevision(claim, fetched, fileIds);
  const revision: Revision = kept === null ? next : { ...next, number: kept.revision };
  const blocks = createBlockBuffer(deps, fetched, kept === null ? revision : null);
  // Loaded on the first parse: the schemas are large, and lists do not need them.
  const { createDrift, formatDrift, mergeDrift } = await import('../transcript/drift.ts');
  const drift = createDrift();
  const options = { price: deps.price, see: drift.see, lineage: fetched.lineage };
  const parser =
    kept === null
      ? createParser(
          claim.sessionId,
          transcripts.map((file) => toHead(file, fetched.metas)),
          { block: blocks.add },
          options,
        )
      : resumeParser(deserialize(kept.state) as SessionState, { block: blocks.add }, options);
  const driftNow = () => (kept === null ? drift.report() : mergeDrift(kept.drift, drift.report()));
  const atEnd = await feed(deps, parser, fetched, run, blocks, driftNow);
  const parsed = withListing(parser.finish(), fetched.listing);
  const rest = await blocks.end();
  return {
    revision,
    isBegun: rest.isBegun,
    parsed: { ...parsed, drift: formatDrift(driftNow(), parsed.facts.versions[0]) },
    blocks: rest.blocks,
    resume: atEnd === null ? null : { ...atEnd, unsureBlocks: rest.unsure },
  };
}

/**
 * Main files come first. The state is saved before the end of the last main file is signalled: everything after that
 * (an incomplete last line, sub-agents, facts about the whole session) is parsed again when the session has grown.
 */
async function feed(
  deps: ParseDeps,
  parser: TranscriptParser,
  { transcripts }: Fetched,
  { checkpoint, kept, isGrowing }: ParseRun,
  blocks: BlockBuffer,
  driftNow: () => DriftReport,
): Promise<Pick<KeptParse, 'state' | 'files' | 'drift'> | null> {
  const lastMain = transcripts.findLastIndex(({ kind }) => kind === 'main');
  const files: { id: string; generation: number; bytes: number }[] = [];
  let state: Pick<KeptParse, 'state' | 'drift'> | null = null;
  for (const [index, file] of transcripts.entries()) {
    const from = index <= lastMain ? (kept?.files[index]?.bytes ?? 0) : 0;
    let bytes = from;
    for await (const chunk of readGeneration(deps, file, from)) {
      checkpoint();
      parser.push(index, chunk);
      bytes += chunk.length;
      await blocks.flushIfFull();
    }
    if (index === lastMain && isGrowing) {
      state = { state: serialize(parser.state), drift: driftNow() };
      blocks.startUnsure();
    }
    if (kept === null || index >= lastMain) parser.endFile(index);
    files.push({ id: file.id, generation: file.generation, bytes });
  }
  return state === null ? null : { ...state, files };
}

interface BlockBuffer {
  add(block: ContentBlock): void;
  /** Blocks added after this call may change in the next parse. */
  startUnsure(): void;
  flushIfFull(): Promise<void>;
  /** Returns the blocks that are not stored. */
  end(): Promise<{
    readonly blocks: readonly ContentBlock[];
    readonly unsure: readonly BlockKey[];
    readonly isBegun: boolean;
  }>;
}

/** With a revision, full buffers are written to the store; without one, all blocks are held until the end. */
function createBlockBuffer(deps: ParseDeps, { all }: Fetched, revision: Revision | null): BlockBuffer {
  const withOutputs = createOutputReader(deps, all);
  let blocks: ContentBlock[] = [];
  let chars = 0;
  let unsure: BlockKey[] | null = null;
  let isBegun = false;
  const take = async () => {
    const taken = blocks;
    blocks = [];
    chars = 0;
    return withOutputs(taken);
  };
  return {
    add: (block) => {
      blocks.push(block);
      unsure?.push({ messageId: block.messageId, blockOrder: block.blockOrder });
      chars += (block.contentText ?? block.thinkingText ?? block.resultText ?? '').length;
    },
    startUnsure: () => {
      unsure = [];
    },
    flushIfFull: async () => {
      if (revision === null || chars <= MAX_BUFFERED_CHARS) return;
      const unbegun = isBegun ? [] : [revision];
      await saveRows(deps.engine, { revisions: [revision], unbegun, tables: [blockRows(revision, await take())] });
      isBegun = true;
    },
    end: async () => ({ blocks: await take(), unsure: unsure ?? [], isBegun }),
  };
}

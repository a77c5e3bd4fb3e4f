import { deserialize, serialize } from 'node:v8';
import type { PriceStamp } from '../domain/cost.ts';
import { FuelError } from '../domain/errors.ts';
import type { Claim } from '../domain/pipeline.ts';
import type { BlobStore } from '../domain/ports.ts';
import type { CheckedSession, ContentBlock, JsonValue } from '../domain/transcript.ts';
import type { Lineage } from '../domain/transcript-structure.ts';
import { readGeneration } from '../archive/archive-bytes.ts';
import { currentSessionFiles } from '../archive/moved-files.ts';
import type { Engine } from '../store/engine.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { readLineage } from '../store/queries/lineage/lineage.ts';
import { type BlockKey, blockRows } from '../store/queries/transcript/revision-rows.ts';
import { beginRevision, readParseState, type Revision, saveRows } from '../store/queries/transcript/save-revision.ts';
import type { DriftReport } from '../transcript/drift.ts';
import { createParser, type ParseOptions, resumeParser, type TranscriptParser } from '../transcript/parser.ts';
import type { SessionState } from '../transcript/state.ts';
import type { KeptParse } from './growing-sessions.ts';
import {
  createOutputReader,
  inParseOrder,
  readListing,
  readMetas,
  type SessionListing,
  toHead,
  withListing,
} from './session-files.ts';

export interface ParseDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly price: NonNullable<ParseOptions['price']>;
  readonly priceStamp: PriceStamp;
}

/** The input of a parse. */
export interface Fetched {
  readonly revision: number;
  readonly parsedVersion: number;
  readonly capturedVersion: number;
  /** The parser version of the stored rows; 0 when a reparse was requested. */
  readonly parserVersion: number;
  readonly all: readonly SourceFile[];
  /** In parse order. */
  readonly transcripts: readonly SourceFile[];
  readonly metas: ReadonlyMap<string, JsonValue>;
  readonly lineage: Lineage;
  readonly listing: SessionListing | null;
}

/** Reads the version first: bytes captured while the files are listed are then parsed again rather than missed. */
export async function fetchFiles(deps: ParseDeps, sessionId: string): Promise<Fetched> {
  const state = await readParseState(deps.engine.kysely, sessionId);
  const all = await currentSessionFiles(deps, sessionId);
  if (all.length === 0 && state.revision > 0) throw nothingArchived();
  const transcripts = inParseOrder(all);
  const lineage = await readLineage(deps.engine.kysely, sessionId);
  const listing = await readListing(deps, sessionId, transcripts);
  return { ...state, all, transcripts, metas: await readMetas(deps, all), lineage, listing };
}

/** Parsing nothing would replace rows that cannot be restored. */
function nothingArchived(): FuelError {
  return new FuelError('blob_missing', 'The archive has no files of this session, so it cannot be reparsed.', {
    hint: 'Its current data stays available. Run `fuel-code verify` to compare the database with the archive.',
  });
}

export interface Parsed {
  readonly revision: Revision;
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
export async function parseFiles(deps: ParseDeps, claim: Claim, fetched: Fetched, run: ParseRun): Promise<Parsed> {
  const { transcripts, capturedVersion } = fetched;
  const { kept } = run;
  const about = { capturedVersion, fileIds: transcripts.map(({ id }) => id) };
  const revision: Revision =
    kept === null
      ? await beginRevision(deps.engine, claim, about)
      : { sessionId: claim.sessionId, claim, number: kept.revision, ...about };
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
    for await (const chunk of readGeneration(deps.engine, deps.blobs, file, from)) {
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
  end(): Promise<{ readonly blocks: readonly ContentBlock[]; readonly unsure: readonly BlockKey[] }>;
}

/** With a revision, full buffers are written to the store; without one, all blocks are held until the end. */
function createBlockBuffer(deps: ParseDeps, { all }: Fetched, revision: Revision | null): BlockBuffer {
  const withOutputs = createOutputReader(deps, all);
  let blocks: ContentBlock[] = [];
  let chars = 0;
  let unsure: BlockKey[] | null = null;
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
      await saveRows(deps.engine, revision, [blockRows(revision, await take())]);
    },
    end: async () => ({ blocks: await take(), unsure: unsure ?? [] }),
  };
}

import { deserialize, serialize } from 'node:v8';
import type { ReadFile } from '../archive/archive-bytes.ts';
import type { ContentBlock } from '../domain/transcript.ts';
import type { SecretMask } from '../redact/mask-secrets.ts';
import {
  type BlockKey,
  blockRows,
  markRows,
  type RowMarks,
  type TableRows,
  tableRows,
} from '../store/queries/transcript/revision-rows.ts';
import type { Revision } from '../store/queries/transcript/save-revision.ts';
import { outcomeOf, type SessionOutcome } from '../store/queries/transcript/session-outcome.ts';
import type { DriftReport } from '../transcript/drift.ts';
import { createParser, type ParseOptions, resumeParser, type TranscriptParser } from '../transcript/parser.ts';
import type { SessionState } from '../transcript/state.ts';
import type { Fetched } from './fetch-files.ts';
import type { KeptParse } from './growing-sessions.ts';
import type { Masking } from './masking.ts';
import { createOutputReader, readMetas, type SessionListing, toHead, withListing } from './session-files.ts';

/** From the bytes of a session to its rows. Does not use the store, so that any thread can do it. */

export interface BuildInput {
  readonly fetched: Fetched;
  readonly revision: Revision;
  /** Where the last parse of this process stopped, if the session has only grown since. */
  readonly kept: KeptParse | null;
  /** The session may still grow. */
  readonly isGrowing: boolean;
}

export interface BuildDeps {
  readonly openMask: Masking['open'];
  readonly price: NonNullable<ParseOptions['price']>;
  readonly read: ReadFile;
  /** Called between two chunks of bytes; throws when the work has to stop. */
  readonly checkpoint: () => void;
  /** Stores blocks of a new revision before the rest, when there are too many to hold. Without it, all are held. */
  readonly storeBlocks?: ((blocks: TableRows, isFirst: boolean) => Promise<void>) | undefined;
}

/** The rows of a session and what else was learned about it, as plain values. */
export interface BuiltSession {
  readonly outcome: SessionOutcome;
  /** All rows but blocks. */
  readonly tables: readonly TableRows[];
  /** Blocks that are not stored yet. */
  readonly blocks: TableRows;
  /** Some blocks are already stored. */
  readonly isBegun: boolean;
  /** Only for sessions that may grow. */
  readonly marks: RowMarks;
  /** State from which a later parse can continue; null when none was requested. */
  readonly resume: Pick<KeptParse, 'state' | 'files' | 'drift' | 'unsureBlocks'> | null;
}

/** Blocks are buffered up to about this many characters, then written to the store. */
const MAX_BUFFERED_CHARS = 8 * 1024 * 1024;

/** Streams the bytes through the parser, from the start or from where the last parse stopped. */
export async function buildSession(deps: BuildDeps, input: BuildInput): Promise<BuiltSession> {
  const { fetched, revision, kept } = input;
  const { transcripts, all } = fetched;
  const mask = fetched.isMasked ? await deps.openMask() : null;
  const metas = await readMetas(deps.read, all, mask);
  const blocks = createBlockBuffer(deps, input, mask);
  // Loaded on the first parse: the schemas are large, and lists do not need them.
  const { createDrift, formatDrift, mergeDrift } = await import('../transcript/drift.ts');
  const drift = createDrift();
  const options = {
    price: deps.price,
    see: drift.see,
    lineage: fetched.lineage,
    ...(mask === null ? {} : { mask: mask.record }),
  };
  const parser =
    kept === null
      ? createParser(
          revision.sessionId,
          transcripts.map((file) => toHead(file, metas)),
          { block: blocks.add },
          options,
        )
      : resumeParser(deserialize(kept.state) as SessionState, { block: blocks.add }, options);
  const driftNow = () => (kept === null ? drift.report() : mergeDrift(kept.drift, drift.report()));
  const atEnd = await feed(deps, parser, input, blocks, driftNow);
  const parsed = withListing(parser.finish(), maskListing(mask, fetched.listing));
  const rest = await blocks.end();
  const resume = atEnd === null ? null : { ...atEnd, unsureBlocks: rest.unsure };
  const checked = { ...parsed, drift: formatDrift(driftNow(), parsed.facts.versions[0]) };
  const tables = tableRows(revision, checked);
  return {
    outcome: outcomeOf(checked),
    tables,
    blocks: blockRows(revision, rest.blocks),
    isBegun: rest.isBegun,
    marks: resume === null && kept === null ? new Map() : markRows(tables),
    resume,
  };
}

function maskListing(mask: SecretMask | null, listing: SessionListing | null): SessionListing | null {
  return mask === null || listing === null ? listing : mask.json({ ...listing });
}

/**
 * Main files come first. The state is saved before the end of the last main file is signalled: everything after that
 * (an incomplete last line, sub-agents, facts about the whole session) is parsed again when the session has grown.
 */
async function feed(
  { read, checkpoint }: BuildDeps,
  parser: TranscriptParser,
  { fetched: { transcripts }, kept, isGrowing }: BuildInput,
  blocks: BlockBuffer,
  driftNow: () => DriftReport,
): Promise<Pick<KeptParse, 'state' | 'files' | 'drift'> | null> {
  const lastMain = transcripts.findLastIndex(({ kind }) => kind === 'main');
  const files: { id: string; generation: number; bytes: number }[] = [];
  let state: Pick<KeptParse, 'state' | 'drift'> | null = null;
  for (const [index, file] of transcripts.entries()) {
    const from = index <= lastMain ? (kept?.files[index]?.bytes ?? 0) : 0;
    let bytes = from;
    for await (const chunk of read(file, from)) {
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

/** The rows of a session that has grown are written with everything else. */
function createBlockBuffer(
  { read, storeBlocks }: BuildDeps,
  { fetched, revision, kept }: BuildInput,
  mask: SecretMask | null,
): BlockBuffer {
  const withOutputs = createOutputReader(read, fetched.all, mask);
  const store = kept === null ? storeBlocks : undefined;
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
      if (store === undefined || chars <= MAX_BUFFERED_CHARS) return;
      await store(blockRows(revision, await take()), !isBegun);
      isBegun = true;
    },
    end: async () => ({ blocks: await take(), unsure: unsure ?? [], isBegun }),
  };
}

import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
import type { Claim } from '../domain/pipeline.ts';
import { lifeOf } from '../domain/session.ts';
import type { ContentBlock, JsonValue, ParsedSession, TranscriptSource } from '../domain/transcript.ts';
import type { UnknownShape } from '../domain/transcript-structure.ts';
import { toJournal } from '../domain/workspace-note.ts';
import type { ResolvedWorkspace } from '../domain/workspace.ts';
import type { Engine } from '../store/engine.ts';
import { readGeneration } from '../ingest/archive-bytes.ts';
import { currentSessionFiles } from '../ingest/moved-files.ts';
import type { SourceFile } from '../store/queries/archive.ts';
import { countOnce, findRelatives } from '../store/queries/count-once.ts';
import { holdClaim } from '../store/queries/claims.ts';
import {
  beginRevision,
  capturedVersionOf,
  type Revision,
  saveBlocks,
  saveMessages,
  saveStructure,
  swapRevision,
} from '../store/queries/save-revision.ts';
import type { Device } from '../store/queries/devices.ts';
import { linkEvents } from '../store/queries/events.ts';
import { readLastWord } from '../store/queries/session-life.ts';
import { assignWorkspace } from '../store/queries/workspaces.ts';
import type { Drift } from '../transcript/drift/drift.ts';
import type { DriftReport } from '../transcript/drift/report.ts';
import { parseSession } from '../transcript/parse-session.ts';
import { createOutputReader } from './persisted-outputs.ts';
import { inParseOrder, readMetas, toHead } from './session-files.ts';
import type { StepLog } from './step-log.ts';

export interface UnderstandDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly price: PriceUsage;
  /** This machine: only of its own sessions do its folders tell the workspace. */
  readonly device: Device;
  readonly workspaces: { resolve(cwd: string | null): Promise<ResolvedWorkspace> };
  readonly journal: ArchiveJournal;
  /** The directory that the name of a project folder stands for, if it is on this machine. */
  readonly decodeFolder: (folderName: string) => string | null;
}

/** How a running session is told from one that has ended: its client says so, or its files still grow. */
export interface LiveSigns {
  readonly sessions: ReadonlySet<string>;
  readonly quietSinceMs: number;
}

type PriceUsage = NonNullable<Parameters<typeof parseSession>[3]>['price'];

/** Blocks wait in memory until they hold about so many characters, then go to the store. */
const MAX_BUFFERED_CHARS = 8 * 1024 * 1024;

/**
 * Turns a claimed session's archived bytes into rows: a new revision beside the current one, made current together with
 * the session's state, its counts, and what its relatives count. Nothing is visible before, nothing is lost after a
 * crash. `checkpoint` is called between two chunks of bytes and throws when the work is to end.
 */
export async function understandSession(
  deps: UnderstandDeps,
  claim: Claim,
  live: LiveSigns,
  { log, checkpoint }: { readonly log: StepLog; readonly checkpoint: () => void },
): Promise<ParsedSession> {
  const fetched = await log.run('fetch', () => fetchFiles(deps, claim.sessionId));
  const { revision, parsed } = await log.run('parse', () => parseFiles(deps, claim, fetched, checkpoint));
  await log.run('persist', () => persistRows(deps, revision, parsed, fetched.all));
  await log.run('price', () => makeCurrent(deps, revision, parsed, fetched.all, live));
  return parsed;
}

/** Writes the next revision and leaves it beside the current one, to be compared with it. */
export async function rewriteBeside(deps: UnderstandDeps, claim: Claim, checkpoint: () => void): Promise<Revision> {
  const fetched = await fetchFiles(deps, claim.sessionId);
  const { revision, parsed } = await parseFiles(deps, claim, fetched, checkpoint);
  await persistRows(deps, revision, parsed, fetched.all);
  return revision;
}

interface Fetched {
  readonly capturedVersion: number;
  readonly all: readonly SourceFile[];
  readonly transcripts: readonly SourceFile[];
  readonly metas: ReadonlyMap<string, JsonValue>;
}

/** The version first: what is captured while the files are listed is then parsed once more, never forgotten. */
async function fetchFiles(deps: UnderstandDeps, sessionId: string): Promise<Fetched> {
  const capturedVersion = await capturedVersionOf(deps.engine.kysely, sessionId);
  const all = await currentSessionFiles(deps, sessionId);
  return { capturedVersion, all, transcripts: inParseOrder(all), metas: await readMetas(deps, all) };
}

async function parseFiles(
  deps: UnderstandDeps,
  claim: Claim,
  { capturedVersion, all, transcripts, metas }: Fetched,
  checkpoint: () => void,
): Promise<{ readonly revision: Revision; readonly parsed: ParsedSession }> {
  const fileIds = transcripts.map(({ id }) => id);
  const revision = await beginRevision(deps.engine, claim, { capturedVersion, fileIds });
  const buffer = createBlockBuffer(deps.engine, revision, createOutputReader(deps, all));
  const sources = transcripts.map((file) => toSource(deps, file, metas, buffer, checkpoint));
  const drift = await createDrift();
  const options = { price: deps.price, see: drift.see };
  const parsed = await parseSession(claim.sessionId, sources, { block: buffer.add }, options);
  await buffer.flush();
  return { revision, parsed: { ...parsed, unknown: [...parsed.unknown, ...driftShapes(drift.report())] } };
}

async function persistRows(
  { engine }: UnderstandDeps,
  revision: Revision,
  parsed: ParsedSession,
  files: readonly SourceFile[],
): Promise<void> {
  await engine.transaction(async (tx) => {
    await holdClaim(engine, tx, revision.claim);
    await saveMessages(engine, tx, revision, parsed.messages, timeOf(lastWriteMs(files)));
    await saveStructure(engine, tx, revision, parsed);
  });
}

async function makeCurrent(
  { engine, clock, device, workspaces, journal, decodeFolder }: UnderstandDeps,
  revision: Revision,
  parsed: ParsedSession,
  files: readonly SourceFile[],
  live: LiveSigns,
): Promise<void> {
  const { sessionId } = revision;
  const now = clock.now().toISOString();
  const workspace = await workspaces.resolve(parsed.facts.cwds[0] ?? directoryOf(files, decodeFolder));
  const notes = await engine.transaction(async (tx) => {
    await holdClaim(engine, tx, revision.claim);
    const { workspaceId, notes } = await assignWorkspace(tx, { sessionId, deviceId: device.id, workspace }, now);
    await linkEvents(tx, sessionId);
    const lastWord = await readLastWord(tx, sessionId);
    const formerRelatives = await findRelatives(tx, sessionId);
    const isOpen = live.sessions.has(sessionId);
    const signs = { lastWriteMs: lastWriteMs(files), lastWord, isOpen, quietSinceMs: live.quietSinceMs };
    const fallbackStart = timeOf(signs.lastWriteMs);
    await swapRevision(tx, revision, parsed, { workspaceId, ...lifeOf(signs), fallbackStart, now });
    await countOnce(tx, sessionId, formerRelatives);
    return notes;
  });
  for (const note of notes) await journal.append(toJournal(note));
}

function lastWriteMs(files: readonly SourceFile[]): number {
  return Math.max(0, ...files.map(({ seenMtimeMs }) => seenMtimeMs));
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** No line names a working directory: the folder that Claude Code keeps the transcript in may tell it. */
function directoryOf(files: readonly SourceFile[], decodeFolder: UnderstandDeps['decodeFolder']): string | null {
  const folder = files.find(({ kind }) => kind === 'main')?.path.split('/')[1];
  return folder === undefined ? null : decodeFolder(folder);
}

interface BlockBuffer {
  add(block: ContentBlock): void;
  isFull(): boolean;
  flush(): Promise<void>;
}

function createBlockBuffer(
  engine: Engine,
  revision: Revision,
  withOutput: (block: ContentBlock) => Promise<ContentBlock>,
): BlockBuffer {
  let blocks: ContentBlock[] = [];
  let chars = 0;
  return {
    add: (block) => {
      blocks.push(block);
      chars += (block.contentText ?? block.thinkingText ?? block.resultText ?? '').length;
    },
    isFull: () => chars > MAX_BUFFERED_CHARS,
    flush: async () => {
      const full = blocks;
      blocks = [];
      chars = 0;
      if (full.length === 0) return;
      const whole: ContentBlock[] = [];
      for (const block of full) whole.push(await withOutput(block));
      await saveBlocks(engine, revision, whole);
    },
  };
}

function toSource(
  deps: UnderstandDeps,
  file: SourceFile,
  metas: ReadonlyMap<string, JsonValue>,
  buffer: BlockBuffer,
  checkpoint: () => void,
): TranscriptSource {
  return { ...toHead(file, metas), bytes: readArchived(deps, file, buffer, checkpoint) };
}

/** The parser asks for the next bytes when it has dealt with the last: the moment to empty a full buffer. */
async function* readArchived(
  { engine, blobs }: UnderstandDeps,
  file: SourceFile,
  buffer: BlockBuffer,
  checkpoint: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of readGeneration(engine, blobs, file)) {
    checkpoint();
    yield bytes;
    if (buffer.isFull()) await buffer.flush();
  }
}

/** Loaded with the first session that is parsed: its schemas are a heavy part that a mere list does not need. */
async function createDrift(): Promise<Drift> {
  const drift = await import('../transcript/drift/drift.ts');
  return drift.createDrift();
}

/** Fields that this parser does not know; what it does not know of types and kinds it has counted itself. */
function driftShapes({ entries }: DriftReport): UnknownShape[] {
  return entries
    .filter(({ kind }) => kind === 'field' || kind === 'json_type')
    .map(({ path, version, count }) => ({ what: 'field', name: path, version, count, sample: NOWHERE }));
}

const NOWHERE = { file: 0, line: 0, offset: 0, length: 0 } as const;

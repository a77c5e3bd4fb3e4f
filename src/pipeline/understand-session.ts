import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
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
import {
  beginRevision,
  type Revision,
  saveBlocks,
  saveMessages,
  saveStructure,
  swapRevision,
} from '../store/queries/save-revision.ts';
import { type Device, loadSessionOwner } from '../store/queries/devices.ts';
import { linkEvents } from '../store/queries/events.ts';
import { readLastWord } from '../store/queries/session-life.ts';
import { assignWorkspace } from '../store/queries/workspaces.ts';
import type { Drift } from '../transcript/drift/drift.ts';
import type { DriftReport } from '../transcript/drift/report.ts';
import { parseSession } from '../transcript/parse-session.ts';
import { createOutputReader } from './persisted-outputs.ts';

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
 * Turns a session's archived bytes into rows: a new revision beside the current one, swapped in together with the
 * session's state, its counts, and what its relatives count. Nothing is visible before, nothing is lost after a crash.
 */
export async function understandSession(
  deps: UnderstandDeps,
  sessionId: string,
  live: LiveSigns,
): Promise<ParsedSession | null> {
  const { engine } = deps;
  const all = await currentSessionFiles(deps, sessionId);
  const files = [...all.filter(({ kind }) => kind === 'main'), ...all.filter(({ kind }) => kind === 'agent')];
  const revision = await beginRevision(
    engine,
    sessionId,
    files.map(({ id }) => id),
  );
  if (revision === null) return null;
  const buffer = createBlockBuffer(engine, revision, createOutputReader(deps, all));
  const metas = await readMetas(deps, all);
  const sources = files.map((file) => toSource(deps, file, metas, buffer));
  const drift = await createDrift();
  const parsed = await parseSession(sessionId, sources, { block: buffer.add }, { price: deps.price, see: drift.see });
  await buffer.flush();
  await keep(deps, revision, { ...parsed, unknown: [...parsed.unknown, ...driftShapes(drift.report())] }, all, live);
  return parsed;
}

async function keep(
  { engine, clock, device, workspaces, journal, decodeFolder }: UnderstandDeps,
  revision: Revision,
  parsed: ParsedSession,
  files: readonly SourceFile[],
  live: LiveSigns,
): Promise<void> {
  const lastWriteMs = Math.max(0, ...files.map(({ seenMtimeMs }) => seenMtimeMs));
  const now = clock.now().toISOString();
  const { sessionId } = revision;
  const owner = await loadSessionOwner(engine.kysely, sessionId);
  const isForeign = owner !== null && owner.deviceId !== device.id;
  const folder = isForeign ? null : (parsed.facts.cwds[0] ?? directoryOf(files, decodeFolder));
  const workspace = await workspaces.resolve(folder);
  const notes = await engine.transaction(async (tx) => {
    const { workspaceId, notes } = await assignWorkspace(tx, { sessionId, deviceId: device.id, workspace }, now);
    await linkEvents(tx, revision.sessionId);
    const lastWord = await readLastWord(tx, revision.sessionId);
    const formerRelatives = await findRelatives(tx, revision.sessionId);
    await saveMessages(engine, tx, revision, parsed.messages);
    await saveStructure(engine, tx, revision, parsed);
    await swapRevision(tx, revision, parsed, {
      workspaceId,
      ...lifeOf({
        lastWriteMs,
        lastWord,
        isOpen: live.sessions.has(revision.sessionId),
        quietSinceMs: live.quietSinceMs,
      }),
      fallbackStart: new Date(lastWriteMs).toISOString(),
      now,
    });
    await countOnce(tx, revision.sessionId, formerRelatives);
    return notes;
  });
  for (const note of notes) await journal.append(toJournal(note));
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
): TranscriptSource {
  const meta = metas.get(file.path.replace(/\.jsonl$/, ''));
  return {
    role: file.kind === 'main' ? 'main' : 'agent',
    agentId: file.agentId,
    name: file.path,
    bytes: readArchived(deps, file, buffer),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** The parser asks for the next bytes when it has dealt with the last: the moment to empty a full buffer. */
async function* readArchived(
  { engine, blobs }: UnderstandDeps,
  file: SourceFile,
  buffer: BlockBuffer,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of readGeneration(engine, blobs, file)) {
    yield bytes;
    if (buffer.isFull()) await buffer.flush();
  }
}

async function readMetas(
  { engine, blobs }: UnderstandDeps,
  files: readonly SourceFile[],
): Promise<ReadonlyMap<string, JsonValue>> {
  const metas = new Map<string, JsonValue>();
  for (const file of files.filter(({ kind }) => kind === 'agent_meta')) {
    const parts = await Array.fromAsync(readGeneration(engine, blobs, file));
    const value = parseJson(Buffer.concat(parts).toString('utf8'));
    if (value !== undefined) metas.set(file.path.replace(/\.meta\.json$/, ''), value);
  }
  return metas;
}

/** A meta file that is being written or broken tells nothing; the lines of the agent still do. */
function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
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

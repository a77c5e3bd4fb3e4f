import { PROMPT_ORIGINS } from '../domain/text-origin.ts';
import type { Claim } from '../domain/pipeline.ts';
import { countParts, partOf, type PlaceKind, searchedText } from '../domain/search.ts';
import { toIndexText } from '../search/words.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { holdClaims } from '../store/queries/claims/claims.ts';
import { readDocumentTexts } from '../store/queries/transcript/documents.ts';
import {
  addToIndex,
  findIndexed,
  isIndexed,
  type IndexBlock,
  type IndexedSession,
  type IndexPlace,
  markIndexed,
  readIndexBlocks,
  readIndexedSession,
  readNotes,
  removeFromIndex,
} from '../store/queries/search/search-index.ts';

interface IndexJob {
  readonly claim: Claim;
  readonly session: IndexedSession;
  /** Ids of the rows that were in the index before. */
  readonly old: readonly number[];
  /**
   * Adds only blocks that are not in the index yet. A block must then be written as a whole, because the index itself
   * records which blocks it has.
   */
  readonly isNewOnly: boolean;
  places: IndexPlace[];
  chars: number;
}

/** Rows per transaction: large transactions create few and large index segments, which are fastest. */
const PLACES_AT_ONCE = 2_000;
/** F20: limits the text held in memory until it is written. */
const CHARS_AT_ONCE = 8 * 1024 * 1024;

/**
 * Replaces the texts of sessions in the full-text index with those of their current revisions, oldest session first,
 * because the index is written fastest in the order of its ids. Old rows are removed after the new ones are written, so
 * that a session can be found at any time.
 */
export async function indexSessions(
  engine: Engine,
  newestFirst: readonly Claim[],
  checkpoint: () => void,
): Promise<void> {
  let done: IndexJob[] = [];
  for (const claim of newestFirst.toReversed()) {
    done.push(await collectPlaces(engine, claim, checkpoint));
    if (!isEnough(done)) continue;
    await finishJobs(engine, done);
    done = [];
  }
  await finishJobs(engine, done);
}

/** Collects only new blocks if the session has just grown since it was indexed. */
async function collectPlaces(engine: Engine, claim: Claim, checkpoint: () => void): Promise<IndexJob> {
  const { kysely } = engine;
  const { sessionId: id } = claim;
  const session = await readIndexedSession(kysely, id);
  const isNewOnly = session.indexedRevision === session.revision;
  const old = await findIndexed(kysely, id, isNewOnly ? SESSION_KINDS : []);
  const places = await sessionPlaces(engine, id, session);
  const job: IndexJob = { claim, session, old, isNewOnly, places, chars: countChars(places) };
  for await (const blocks of readIndexBlocks(kysely, id, { revision: session.revision, isNewOnly })) {
    for (const block of blocks) await collectBlock(engine, job, block, checkpoint);
  }
  return job;
}

/** Bounds memory: a long session is written while it is read, and a long text part by part. */
async function collectBlock(engine: Engine, job: IndexJob, block: IndexBlock, checkpoint: () => void): Promise<void> {
  checkpoint();
  if (isEnough([job])) await flush(engine, job);
  for (const place of blockPlaces(block)) {
    if (!job.isNewOnly && isEnough([job])) {
      checkpoint();
      await flush(engine, job);
    }
    job.places.push(place);
    job.chars += place.chars;
  }
}

function countChars(places: readonly IndexPlace[]): number {
  return places.reduce((sum, { chars }) => sum + chars, 0);
}

function isEnough(jobs: readonly IndexJob[]): boolean {
  const places = jobs.reduce((sum, job) => sum + job.places.length, 0);
  return places >= PLACES_AT_ONCE || jobs.reduce((sum, { chars }) => sum + chars, 0) >= CHARS_AT_ONCE;
}

async function flush(engine: Engine, job: IndexJob): Promise<void> {
  await engine.transaction((tx) => addJob(engine, tx, job));
  job.places = [];
  job.chars = 0;
}

async function finishJobs(engine: Engine, jobs: readonly IndexJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await engine.transaction(async (tx) => {
    for (const job of jobs) await addJob(engine, tx, job);
    for (const job of jobs) await removeFromIndex(engine, tx, job.old);
    // Last, because SQLite flushes its index buffer before a statement with a trigger.
    for (const { claim, session } of jobs) await markIndexed(tx, claim.sessionId, session);
  });
}

async function addJob(engine: Engine, tx: Tx, { claim, session, places }: IndexJob): Promise<void> {
  await holdClaims(engine, tx, [claim]);
  await addToIndex(engine, tx, { id: claim.sessionId, startedAt: session.startedAt }, places);
}

/** Call after a change of title, summary or notes. A session that is not fully indexed gets them with the rest. */
export async function refreshIndexedTexts(engine: Engine, sessionId: string): Promise<void> {
  if (await isIndexed(engine.kysely, sessionId)) await indexSessionTexts(engine, sessionId);
}

const SESSION_KINDS = ['title', 'summary', 'note', 'document'] as const satisfies readonly PlaceKind[];

/** Reindexes only title, summary, notes and documents; they change while the conversation stays the same. */
export async function indexSessionTexts(engine: Engine, sessionId: string): Promise<void> {
  const session = await readIndexedSession(engine.kysely, sessionId);
  const places = await sessionPlaces(engine, sessionId, session);
  await engine.transaction(async (tx) => {
    const old = await findIndexed(tx, sessionId, SESSION_KINDS);
    await addToIndex(engine, tx, { id: sessionId, startedAt: session.startedAt }, places);
    await removeFromIndex(engine, tx, old);
  });
}

async function sessionPlaces({ kysely }: Engine, sessionId: string, session: IndexedSession): Promise<IndexPlace[]> {
  const notes = await readNotes(kysely, sessionId);
  const documents = await readDocumentTexts(kysely, sessionId, session.revision);
  return [
    ...toPlaces('title', '', ownTitle(session)),
    ...toPlaces('summary', '', ownSummary(session)),
    ...notes.flatMap(({ id, text }) => [...toPlaces('note', id, text)]),
    ...documents.flatMap(({ id, text }) => [...toPlaces('document', id, text)]),
  ];
}

/** A narrative repeats texts of the session, which are indexed anyway. */
function ownSummary({ summary, summaryKind }: IndexedSession): string {
  return summaryKind === 'narrative' ? '' : (summary ?? '');
}

/** A title that is only the start of the first prompt is found through the prompt. */
function ownTitle({ title, initialPrompt }: IndexedSession): string {
  const prompt = initialPrompt?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return title === null || prompt.startsWith(title) ? '' : title;
}

/** Attachments repeat texts of the client in every session, so they would only add noise to searches. */
function* blockPlaces(block: IndexBlock): Iterable<IndexPlace> {
  if (block.blockType === 'attachment') return;
  yield* toPlaces(kindOf(block), block.messageId, searchedText(block), block);
}

function kindOf({ blockType, origin }: IndexBlock): PlaceKind {
  if (blockType === 'thinking') return 'thinking';
  if (blockType === 'tool_use' || blockType === 'server_tool_use') return 'input';
  if (blockType === 'tool_result' || blockType === 'server_tool_result') return 'output';
  if (blockType === 'injected') return 'context';
  if (origin === 'model') return 'answer';
  return PROMPT_ORIGINS.has(origin) ? 'prompt' : 'context';
}

function* toPlaces(
  kind: PlaceKind,
  messageId: string,
  text: string,
  { blockOrder, callId }: Pick<IndexBlock, 'blockOrder' | 'callId'> = { blockOrder: -1, callId: null },
): Generator<IndexPlace> {
  if (text === '') return;
  for (let part = 0; part < countParts(text); part += 1) {
    const piece = partOf(text, part);
    yield { kind, messageId, blockOrder, part, callId, chars: piece.length, ...toIndexText(piece) };
  }
}

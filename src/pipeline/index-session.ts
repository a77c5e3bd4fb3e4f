import { PROMPT_ORIGINS } from '../domain/text-origin.ts';
import type { Claim } from '../domain/pipeline.ts';
import type { PlaceKind } from '../domain/search.ts';
import { countParts, partOf, searchedText } from '../domain/place-text.ts';
import { toIndexText } from '../search/words.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { holdClaim } from '../store/queries/claims/claims.ts';
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
  /** What the index had before. */
  readonly old: readonly number[];
  /** Which blocks are in the index is asked of it: a block must not be there in part. */
  readonly isNewOnly: boolean;
  places: IndexPlace[];
  chars: number;
}

/** Places a transaction: large ones make few and large segments of the index, which is what it likes. */
const PLACES_AT_ONCE = 2_000;
/** F20: their words are held in memory until then. */
const CHARS_AT_ONCE = 8 * 1024 * 1024;

/**
 * Puts the texts of the sessions' current revisions into the full-text index, in place of what was there; oldest
 * session first, since an index is written fastest in the order of its ids. Old places go when the new ones are in: a
 * session can be found all along.
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

/** Of a session that has only grown since it was indexed, what is new. */
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

/** Memory is bounded: a long session is written as it is read, and a long text part by part. */
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
    // Last: SQLite writes out what its index has gathered before a statement with a trigger.
    for (const { claim, session } of jobs) await markIndexed(tx, claim.sessionId, session);
  });
}

async function addJob(engine: Engine, tx: Tx, { claim, session, places }: IndexJob): Promise<void> {
  await holdClaim(engine, tx, claim);
  await addToIndex(engine, tx, { id: claim.sessionId, startedAt: session.startedAt }, places);
}

/** After a change of title, summary or notes; a session that is not indexed to its end yet gets them with all else. */
export async function refreshIndexedTexts(engine: Engine, sessionId: string): Promise<void> {
  if (await isIndexed(engine.kysely, sessionId)) await indexSessionTexts(engine, sessionId);
}

const SESSION_KINDS = ['title', 'summary', 'note', 'document'] as const satisfies readonly PlaceKind[];

/** The same for title, summary and notes alone: they change while the conversation stays as it is. */
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

/** A narrative repeats what the session's own texts say: it is found there. */
function ownSummary({ summary, summaryKind }: IndexedSession): string {
  return summaryKind === 'narrative' ? '' : (summary ?? '');
}

/** A title that is only the beginning of the first prompt is found there. */
function ownTitle({ title, initialPrompt }: IndexedSession): string {
  const prompt = initialPrompt?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return title === null || prompt.startsWith(title) ? '' : title;
}

/** Attachments repeat the client's own texts in every session: whoever searches does not mean them. */
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

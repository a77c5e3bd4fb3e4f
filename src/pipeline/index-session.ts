import type { Claim } from '../domain/pipeline.ts';
import { countParts, type PlaceKind, partOf, SESSION_KINDS, searchedText } from '../domain/search.ts';
import { PROMPT_ORIGINS } from '../domain/text-origin.ts';
import { toIndexText } from '../search/words.ts';
import type { Engine, SearchState, SearchWriter, Tx } from '../store/engine.ts';
import { ClaimLost, checkClaims, holdClaims } from '../store/queries/claims/claims.ts';
import {
  addToIndex,
  filterIndexed,
  findIndexed,
  type IndexBlock,
  type IndexedSession,
  type IndexPlace,
  markIndexed,
  readIndexBlocks,
  readIndexedSessions,
  readNotes,
  removeFromIndex,
  type SessionPlaces,
} from '../store/queries/search/search-index.ts';
import { findDocuments, readDocumentTexts, type SessionDocuments } from '../store/queries/transcript/documents.ts';
import type { RowState } from '../store/queries/transcript/save-revision.ts';

/** What is indexed besides the conversation; documents are read one session at a time. */
interface SessionTexts extends IndexedSession, SessionDocuments {
  readonly notes: readonly { readonly id: string; readonly text: string }[];
}

interface IndexJob {
  readonly claim: Claim;
  readonly session: SessionTexts;
  /**
   * Adds only blocks that are not in the index yet. A block must then be written as a whole, because the index itself
   * records which blocks it has.
   */
  readonly isNewOnly: boolean;
  /** Ids of the documents that were written before the session is finished. */
  readonly flushed: Set<number>;
  places: IndexPlace[];
  chars: number;
}

/** Rows per transaction: large transactions create few and large index segments, which are fastest. */
const PLACES_AT_ONCE = 2_000;
/** F20: limits the text held in memory until it is written. */
const CHARS_AT_ONCE = 8 * 1024 * 1024;

/** Writes texts of these sessions; `finished` are those whose texts are complete then. */
type Commit = (
  claims: readonly Claim[],
  write: (writer: SearchWriter) => Promise<void>,
  finished: readonly IndexedState[],
) => Promise<void>;

interface IndexedState extends RowState {
  readonly sessionId: string;
}

/** Texts that are in the index and not marked in the database yet. */
export interface WrittenTexts {
  readonly written: SearchState | null;
  readonly sessions: readonly IndexedState[];
}

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
  await writeSessions(engine, newestFirst, checkpoint, (claims, write, finished) =>
    engine.transaction(async (tx) => {
      await holdClaims(engine, tx, claims);
      const { written } = await engine.writeSearch(tx, write);
      await mark(engine, tx, { written, sessions: finished });
    }),
  );
}

/**
 * The same without writing to the database, for an index in a file of its own: the writer can be a thread that only reads
 * the database. Call `markTexts` afterwards.
 */
export async function writeTexts(
  engine: Engine,
  newestFirst: readonly Claim[],
  checkpoint: () => void,
): Promise<readonly WrittenTexts[]> {
  const done: WrittenTexts[] = [];
  await writeSessions(engine, newestFirst, checkpoint, async (claims, write, sessions) => {
    const { written } = await engine.writeSearch(null, async (writer) => {
      // While no other process can write: one that takes over a session replaces what is written here.
      await checkClaims(engine.kysely, claims);
      await write(writer);
    });
    done.push({ written, sessions });
  });
  return done;
}

export async function markTexts(
  engine: Engine,
  claims: readonly Claim[],
  texts: readonly WrittenTexts[],
): Promise<void> {
  await engine.transaction(async (tx) => {
    await holdClaims(engine, tx, claims);
    for (const each of texts) await mark(engine, tx, each);
  });
}

async function mark(engine: Engine, tx: Tx, { written, sessions }: WrittenTexts): Promise<void> {
  if (sessions.length === 0) return;
  await engine.relyOnSearch(tx, written);
  for (const { sessionId, ...state } of sessions) await markIndexed(tx, sessionId, state);
}

async function writeSessions(
  engine: Engine,
  newestFirst: readonly Claim[],
  checkpoint: () => void,
  commit: Commit,
): Promise<void> {
  let done: IndexJob[] = [];
  const sessions = await readSessions(
    engine.kysely,
    newestFirst.map(({ sessionId }) => sessionId),
  );
  for (const claim of newestFirst.toReversed()) {
    const session = sessions.get(claim.sessionId);
    if (session === undefined) throw new ClaimLost(claim);
    done.push(await collectPlaces(engine, { claim, session }, checkpoint, commit));
    if (!isEnough(done)) continue;
    await finishJobs(engine, done, commit);
    done = [];
  }
  await finishJobs(engine, done, commit);
}

async function readSessions(db: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, SessionTexts>> {
  const sessions = await readIndexedSessions(db, ids);
  const notes = await readNotes(db, ids);
  const documents = await findDocuments(db, ids);
  const none = { hasDocuments: false, planSlugs: [] };
  return new Map(
    [...sessions].map(([id, session]) => [
      id,
      { ...session, ...(documents.get(id) ?? none), notes: notes.get(id) ?? [] },
    ]),
  );
}

/** Collects only new blocks if the session has just grown since it was indexed. */
async function collectPlaces(
  engine: Engine,
  { claim, session }: Pick<IndexJob, 'claim' | 'session'>,
  checkpoint: () => void,
  commit: Commit,
): Promise<IndexJob> {
  const { kysely } = engine;
  const { sessionId: id } = claim;
  const isNewOnly = session.indexedRevision === session.revision;
  const places = await sessionPlaces(kysely, id, session);
  const job: IndexJob = { claim, session, isNewOnly, flushed: new Set(), places, chars: countChars(places) };
  for await (const blocks of readIndexBlocks(kysely, id, { revision: session.revision, isNewOnly })) {
    for (const block of blocks) {
      checkpoint();
      await collectBlock(job, block, () => {
        checkpoint();
        return flush(engine, job, commit);
      });
    }
  }
  return job;
}

/** Bounds memory: a long session is written while it is read, and a long text part by part. */
async function collectBlock(job: IndexJob, block: IndexBlock, write: () => Promise<void>): Promise<void> {
  if (isEnough([job])) await write();
  for (const place of blockPlaces(block)) {
    if (!job.isNewOnly && isEnough([job])) await write();
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

async function flush(engine: Engine, job: IndexJob, commit: Commit): Promise<void> {
  await commit(
    [job.claim],
    async (writer) => {
      const [first = 0] = await addToIndex(engine, writer, [textsOf(job)]);
      for (let at = 0; at < job.places.length; at += 1) job.flushed.add(first + at);
    },
    [],
  );
  job.places = [];
  job.chars = 0;
}

function textsOf({ claim, session, places }: IndexJob): SessionPlaces {
  return { id: claim.sessionId, startedAt: session.startedAt, places };
}

async function finishJobs(engine: Engine, jobs: readonly IndexJob[], commit: Commit): Promise<void> {
  if (jobs.length === 0) return;
  const write = async (writer: SearchWriter) => {
    const old = await findOld(writer.tx, jobs);
    await addToIndex(engine, writer, jobs.map(textsOf));
    await removeFromIndex(writer, old);
  };
  await commit(
    jobs.map(({ claim }) => claim),
    write,
    jobs.map(({ claim, session: { revision, rowsVersion } }) => ({
      sessionId: claim.sessionId,
      revision,
      rowsVersion,
    })),
  );
}

/** What the index has of these sessions before they are finished: previous texts, and leftovers of an interrupted run. */
async function findOld(tx: Tx, jobs: readonly IndexJob[]): Promise<readonly number[]> {
  const idsOf = (isNewOnly: boolean) =>
    jobs.flatMap((job) => (job.isNewOnly === isNewOnly ? [job.claim.sessionId] : []));
  const flushed = new Set(jobs.flatMap((job) => [...job.flushed]));
  const all = await findIndexed(tx, idsOf(false));
  return [...all.filter((id) => !flushed.has(id)), ...(await findIndexed(tx, idsOf(true), SESSION_KINDS))];
}

/** Call after a change of title, summary or notes. Sessions that are not fully indexed get them with the rest. */
export async function refreshIndexedTexts(engine: Engine, sessionIds: readonly string[]): Promise<void> {
  await indexSessionTexts(engine, await filterIndexed(engine.kysely, sessionIds));
}

/** Reindexes only title, summary, notes and documents; they change while the conversation stays the same. */
export async function indexSessionTexts(engine: Engine, sessionIds: readonly string[]): Promise<void> {
  const { kysely } = engine;
  const sessions = await readSessions(kysely, sessionIds);
  const texts: SessionPlaces[] = [];
  for (const [id, session] of sessions) {
    const places = await sessionPlaces(kysely, id, session);
    if (places.length > 0) texts.push({ id, startedAt: session.startedAt, places });
  }
  const ids = [...sessions.keys()];
  if (texts.length === 0 && (await findIndexed(kysely, ids, SESSION_KINDS)).length === 0) return;
  // Oldest session first, and removed together: the index is written fastest in the order of its ids.
  const oldestFirst = texts.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  await engine.writeSearch(null, async (writer) => {
    const old = await findIndexed(writer.tx, ids, SESSION_KINDS);
    await addToIndex(engine, writer, oldestFirst);
    await removeFromIndex(
      writer,
      old.toSorted((a, b) => a - b),
    );
  });
}

async function sessionPlaces(db: Tx, sessionId: string, session: SessionTexts): Promise<IndexPlace[]> {
  const documents = session.hasDocuments ? await readDocumentTexts(db, sessionId, session) : [];
  return [
    ...toPlaces('title', '', ownTitle(session)),
    ...toPlaces('summary', '', ownSummary(session)),
    ...session.notes.flatMap(({ id, text }) => [...toPlaces('note', id, text)]),
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

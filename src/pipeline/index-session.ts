import type { PlaceKind } from '../domain/search.ts';
import { countParts, partOf, searchedText } from '../search/place-text.ts';
import { toIndexText } from '../search/words.ts';
import type { Engine, Tx } from '../store/engine.ts';
import {
  addToIndex,
  findIndexed,
  type IndexBlock,
  type IndexedSession,
  type IndexPlace,
  markIndexed,
  readIndexBlocks,
  readIndexedSession,
  readNotes,
  removeFromIndex,
} from '../store/queries/search-index.ts';

interface IndexOptions {
  /** Aborted when somebody wants to stop: the sessions that are left are found again next time. */
  readonly signal?: AbortSignal;
  onIndexed?(): void;
}

interface IndexJob {
  readonly id: string;
  readonly session: IndexedSession;
  /** What the index had before. */
  readonly old: readonly number[];
  places: IndexPlace[];
}

/** Places a transaction: large ones make few and large segments of the index, which is what it likes. */
const PLACES_AT_ONCE = 2_000;

/**
 * Puts the texts of the sessions' current revisions into the full-text index, in place of what was there; oldest
 * session first, since an index is written fastest in the order of its ids. Old places go when the new ones are in: a
 * session can be found all along.
 */
export async function indexSessions(
  engine: Engine,
  newestFirst: readonly string[],
  { signal, onIndexed }: IndexOptions = {},
): Promise<void> {
  let done: IndexJob[] = [];
  for (const id of newestFirst.toReversed()) {
    if (signal?.aborted) break;
    done.push(await collectPlaces(engine, id));
    if (done.reduce((sum, { places }) => sum + places.length, 0) < PLACES_AT_ONCE) continue;
    await finishJobs(engine, done, onIndexed);
    done = [];
  }
  await finishJobs(engine, done, onIndexed);
}

async function collectPlaces(engine: Engine, id: string): Promise<IndexJob> {
  const session = await readIndexedSession(engine.kysely, id);
  const old = await findIndexed(engine.kysely, id);
  const job: IndexJob = { id, session, old, places: await sessionPlaces(engine, id, session) };
  for await (const blocks of readIndexBlocks(engine.kysely, id, session.revision)) {
    // A long session does not wait to be read to its end: memory has one too.
    if (job.places.length >= PLACES_AT_ONCE) await flush(engine, job);
    job.places.push(...blocks.flatMap(blockPlaces));
  }
  return job;
}

async function flush(engine: Engine, job: IndexJob): Promise<void> {
  await engine.transaction((tx) => addJob(engine, tx, job));
  job.places = [];
}

async function finishJobs(engine: Engine, jobs: readonly IndexJob[], onIndexed?: () => void): Promise<void> {
  if (jobs.length === 0) return;
  await engine.transaction(async (tx) => {
    for (const job of jobs) {
      await addJob(engine, tx, job);
      await removeFromIndex(engine, tx, job.old);
      await markIndexed(tx, job.id, job.session.revision);
    }
  });
  for (const _ of jobs) onIndexed?.();
}

function addJob(engine: Engine, tx: Tx, { id, session, places }: IndexJob): Promise<void> {
  return addToIndex(engine, tx, { id, startedAt: session.startedAt }, places);
}

const SESSION_KINDS = ['title', 'summary', 'note'] as const satisfies readonly PlaceKind[];

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
  return [
    ...toPlaces('title', '', ownTitle(session)),
    ...toPlaces('summary', '', session.summary ?? ''),
    ...notes.flatMap(({ id, text }) => toPlaces('note', id, text)),
  ];
}

/** A title that is only the beginning of the first prompt is found there. */
function ownTitle({ title, initialPrompt }: IndexedSession): string {
  const prompt = initialPrompt?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return title === null || prompt.startsWith(title) ? '' : title;
}

function blockPlaces(block: IndexBlock): IndexPlace[] {
  const kind = kindOf(block);
  return toPlaces(kind, block.messageId, searchedText(block), block);
}

const PROMPTS: ReadonlySet<string> = new Set(['human', 'queued', 'command', 'bash_input', 'agent_prompt', 'teammate']);

function kindOf({ blockType, origin }: IndexBlock): PlaceKind {
  if (blockType === 'thinking') return 'thinking';
  if (blockType === 'tool_use' || blockType === 'server_tool_use') return 'input';
  if (blockType === 'tool_result' || blockType === 'server_tool_result') return 'output';
  if (origin === 'model') return 'answer';
  return PROMPTS.has(origin) ? 'prompt' : 'context';
}

function toPlaces(
  kind: PlaceKind,
  messageId: string,
  text: string,
  { blockOrder, callId }: Pick<IndexBlock, 'blockOrder' | 'callId'> = { blockOrder: -1, callId: null },
): IndexPlace[] {
  if (text === '') return [];
  return Array.from({ length: countParts(text) }, (_, part) => {
    const piece = partOf(text, part);
    return { kind, messageId, blockOrder, part, callId, chars: piece.length, ...toIndexText(piece) };
  });
}

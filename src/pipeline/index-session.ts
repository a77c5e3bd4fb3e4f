import type { PlaceKind } from '../domain/search.ts';
import { countParts, partOf, searchedText } from '../search/place-text.ts';
import { toIndexText } from '../search/words.ts';
import type { Engine } from '../store/engine.ts';
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

/**
 * Puts the texts of a session's current revision into the full-text index, in place of what was there. The old places
 * go when the new ones are in: the session can be found all along.
 */
export async function indexSession(engine: Engine, sessionId: string): Promise<void> {
  const db = engine.kysely;
  const session = await readIndexedSession(db, sessionId);
  const at = { id: sessionId, startedAt: session.startedAt };
  const old = await findIndexed(db, sessionId);
  let places = await sessionPlaces(engine, sessionId, session);
  for await (const blocks of readIndexBlocks(db, sessionId, session.revision)) {
    if (places.length >= PLACES_AT_ONCE) {
      const full = places;
      await engine.transaction((tx) => addToIndex(engine, tx, at, full));
      places = [];
    }
    places.push(...blocks.flatMap(blockPlaces));
  }
  await engine.transaction(async (tx) => {
    await addToIndex(engine, tx, at, places);
    await removeFromIndex(engine, tx, old);
    await markIndexed(tx, sessionId, session.revision);
  });
}

const PLACES_AT_ONCE = 500;
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

async function sessionPlaces(
  { kysely }: Engine,
  sessionId: string,
  session: IndexedSession,
): Promise<IndexPlace[]> {
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

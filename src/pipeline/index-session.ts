import type { Claim } from '../domain/pipeline.ts';
import { MAX_DOCUMENT_CHARS, wordsOf } from '../search/words.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { holdClaim } from '../store/queries/claims.ts';
import { readParseState } from '../store/queries/save-revision.ts';
import {
  addToIndex,
  type IndexText,
  type IndexWords,
  markIndexed,
  readIndexTexts,
  removeFromIndex,
} from '../store/queries/search-index.ts';

/** Puts the texts of a session's current revision into the full-text index, in place of what was there. */
export async function indexSession(engine: Engine, claim: Claim, checkpoint: () => void): Promise<void> {
  const { sessionId } = claim;
  const state = await readParseState(engine.kysely, sessionId);
  const { revision } = state;
  const write = (work: (tx: Tx) => Promise<void>) =>
    engine.transaction(async (tx) => {
      await holdClaim(engine, tx, claim);
      await work(tx);
    });
  await write((tx) => removeFromIndex(engine, tx, sessionId));
  for await (const texts of readIndexTexts(engine.kysely, sessionId, revision)) {
    checkpoint();
    const documents = texts.flatMap((text) => [...toDocuments(text)]);
    await write((tx) => addToIndex(engine, tx, sessionId, revision, documents));
  }
  await write((tx) => markIndexed(tx, sessionId, state));
}

/** A long text becomes several documents, since an index row has a limit. */
function* toDocuments({ text, ...where }: IndexText): Generator<IndexWords> {
  for (let at = 0; at < text.length; at += MAX_DOCUMENT_CHARS) {
    yield { ...where, words: wordsOf(text.slice(at, at + MAX_DOCUMENT_CHARS)).join(' ') };
  }
}

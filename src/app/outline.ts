import type { Outline } from '../api/outline.ts';
import { createOutline } from '../reading/outline.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { readOutlineParts, readOutlineRevision } from '../store/queries/transcript/outline-parts.ts';
import { readOutlineMessages } from '../store/queries/transcript/outline-rows.ts';

/** An outline takes about 100 bytes for each item. */
const MAX_KEPT_ITEMS = 500_000;

/** Reads outlines, and keeps the last ones for as long as the rows of their sessions do not change. */
export function createOutlineReader(engine: Engine): (tx: Tx, sessionId: string) => Promise<Outline> {
  const kept = new Map<string, Outline>();
  return async (tx, sessionId) => {
    const revision = await readOutlineRevision(tx, sessionId);
    const known = kept.get(sessionId);
    const outline = known?.revision === revision ? known : await readOutline(engine, tx, sessionId, revision);
    kept.delete(sessionId);
    kept.set(sessionId, outline);
    forgetOldest(kept);
    return outline;
  };
}

function forgetOldest(kept: Map<string, Outline>): void {
  let count = 0;
  for (const [id, { items }] of [...kept].reverse()) {
    count += items.ordinal.length;
    if (count > MAX_KEPT_ITEMS) kept.delete(id);
  }
}

/** One pass over the rows of a session. */
async function readOutline(engine: Engine, tx: Tx, sessionId: string, revision: string): Promise<Outline> {
  const outline = createOutline();
  await readOutlineMessages(engine, tx, sessionId, (messages, blocks) => outline.add(messages, blocks));
  return outline.finish(revision, await readOutlineParts(tx, sessionId));
}

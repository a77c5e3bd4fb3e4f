import type { Outline } from '../api/outline.ts';
import { createOutline } from '../reading/outline.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { readOutlineParts, readOutlineRevision } from '../store/queries/transcript/outline-parts.ts';
import { readOutlineMessages } from '../store/queries/transcript/outline-rows.ts';

/** The outline of a session, read in one pass over its rows. */
export async function readOutline(engine: Engine, tx: Tx, sessionId: string): Promise<Outline> {
  const outline = createOutline();
  await readOutlineMessages(engine, tx, sessionId, (messages, blocks) => outline.add(messages, blocks));
  return outline.finish(await readOutlineRevision(tx, sessionId), await readOutlineParts(tx, sessionId));
}

import type { CompactionDiff, SessionContext } from '../api/context.ts';
import type { Outline } from '../api/outline.ts';
import { diffCompaction } from '../reading/context/compaction-diff.ts';
import { createContextEstimate } from '../reading/context/estimate.ts';
import type { Tx } from '../store/engine.ts';
import { readCompacted } from '../store/queries/transcript/compacted.ts';
import { readContextMessages } from '../store/queries/transcript/context-rows.ts';
import { listParts } from '../store/queries/transcript/parts.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';

interface ContextQuery {
  readonly sessionId: string;
  readonly outline: Outline;
}

/** Null for an abandoned turn, -1 for none. */
function turnFinder({ turns }: Outline): (turnId: string | null) => number | null {
  const indices = new Map(turns.id.map((id, at) => [id, at]));
  return (turnId) => {
    const at = indices.get(turnId ?? '') ?? -1;
    return turns.branch[at] === 1 ? null : at;
  };
}

/** How the context of a conversation grew, in one pass over its rows. */
export async function readContext(
  tx: Tx,
  { sessionId, outline }: ContextQuery,
  agentId: string | null,
): Promise<SessionContext> {
  const { rows: compactions } = await listParts(tx, 'compactions', sessionId, { limit: MAX_PAGE_ROWS });
  const context = createContextEstimate({ agentId, compactions, turnOf: turnFinder(outline) });
  await readContextMessages(tx, { sessionId, agentId }, context.add);
  return context.finish();
}

/** Errors: not_found. */
export async function readCompactionDiff(
  tx: Tx,
  { sessionId, outline }: ContextQuery,
  compactionId: string,
): Promise<CompactionDiff> {
  const found = await readCompacted(tx, sessionId, compactionId);
  const turnOf = turnFinder(outline);
  const texts = (rows: (typeof found)['prompts']) =>
    rows
      .filter(({ turn_id }) => turnOf(turn_id) !== null)
      .map(({ ordinal, text, uuid }) => ({ ordinal, text, is_preserved: uuid !== null && found.preserved.has(uuid) }));
  const { id, ordinal, kind, trigger, pre_tokens, post_tokens } = found.compaction;
  const lists = [found.prompts, found.decisions, found.files, found.cleared];
  return diffCompaction(
    {
      id,
      ordinal,
      kind,
      trigger,
      pre_tokens,
      post_tokens,
      summary: found.summary?.text ?? null,
      summary_ordinal: found.summary?.ordinal ?? null,
    },
    {
      prompts: texts(found.prompts),
      decisions: texts(found.decisions),
      files: texts(found.files),
      cleared: texts(found.cleared),
      is_complete: lists.every(({ length }) => length < found.limit),
    },
  );
}

import type { Outline } from '../api/outline.ts';
import type { CompactionDiff, Relative, SessionContext } from '../api/session-views.ts';
import { FuelError } from '../domain/errors.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { diffCompaction } from '../reading/context/compaction-diff.ts';
import { createContextEstimate } from '../reading/context/estimate.ts';
import { shortId, titleOf } from '../reading/names.ts';
import type { Tx } from '../store/engine.ts';
import { findDeletedOrigins } from '../store/queries/deletions/deletions.ts';
import { readRelatives } from '../store/queries/lineage/relatives.ts';
import { findSession } from '../store/queries/sessions/session-rows.ts';
import { readCompacted } from '../store/queries/transcript/compacted.ts';
import { readContextMessages } from '../store/queries/transcript/context-rows.ts';
import { listParts } from '../store/queries/transcript/parts.ts';
import { readWaterfall } from '../store/queries/transcript/waterfall.ts';
import { readTurnCosts } from '../store/queries/usage/turn-costs.ts';
import type { Queries, QueryDeps } from './queries.ts';
import { readMarkdown } from './read-range.ts';

interface DepthDeps extends Pick<QueryDeps, 'engine' | 'openRedactor'> {
  readonly readOutline: (tx: Tx, sessionId: string) => Promise<Outline>;
}

/** Queries about the views of one session. */
export function depthQueries({ engine, readOutline, openRedactor }: DepthDeps) {
  const within = <T>(id: string, read: (tx: Tx, sessionId: string) => Promise<T>) =>
    engine.snapshot(async (tx) => read(tx, await idWithRows(tx, id)));
  return {
    'GET /sessions/:id/markdown': async ({ params, query }) => {
      const safe = query.redact ? await openRowRedaction(openRedactor) : null;
      const page = await within(params.id, (tx, sessionId) => readMarkdown(tx, { ...query, sessionId }, safe?.rows));
      return safe === null ? page : { ...page, text: safe.text(page.text) };
    },
    'GET /sessions/:id/relatives': ({ params }) =>
      engine.snapshot(async (tx) => ({ relatives: await listRelatives(tx, (await findSession(tx, params.id)).id) })),
    'GET /sessions/:id/context': ({ params, query }) =>
      within(params.id, async (tx, sessionId) =>
        readContext(tx, { sessionId, outline: await readOutline(tx, sessionId) }, query.agent_id ?? null),
      ),
    'GET /sessions/:id/compactions/:compaction_id/diff': ({ params }) =>
      within(params.id, async (tx, sessionId) =>
        readCompactionDiff(tx, { sessionId, outline: await readOutline(tx, sessionId) }, params.compaction_id),
      ),
    'GET /sessions/:id/waterfall': ({ params }) => within(params.id, readWaterfall),
    'GET /sessions/:id/costs': ({ params }) => within(params.id, readTurnCosts),
  } satisfies Partial<Queries>;
}

/**
 * The id of a session that is given by id or unique prefix and has rows: those of an archived one were deleted, and an
 * empty list would be wrong. Errors: not_found, ambiguous, conflict.
 */
export async function idWithRows(db: Tx, idOrPrefix: string): Promise<string> {
  const { id, lifecycle } = await findSession(db, idOrPrefix);
  if (lifecycle !== 'archived') return id;
  throw new FuelError('conflict', `The rows of session ${id} were archived.`, {
    hint: `\`fuel-code session ${shortId(id)} --restore\` or POST /api/sessions/${id}/restore restores them.`,
  });
}

/** Loaded only for data that leaves this device. */
async function openRowRedaction(openRedactor: QueryDeps['openRedactor']) {
  const { redactionOf } = await import('./redaction.ts');
  return redactionOf(await openRedactor());
}

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
async function readContext(
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
async function readCompactionDiff(
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

/** The relatives of a session with the titles that the page shows. */
async function listRelatives(db: Tx, sessionId: string): Promise<readonly Relative[]> {
  const rows = await readRelatives(db, sessionId);
  const stored = rows.map((row) => ({
    session_id: row.session_id,
    kind: row.kind,
    is_origin: Boolean(row.is_origin),
    title: row.is_stored ? titleOf(row) : null,
    is_deleted: Boolean(row.is_deleted),
    started_at: row.started_at,
    lines: row.lines,
    at_ordinal: row.at_ordinal,
  }));
  const known = new Set(stored.map(({ session_id }) => session_id));
  const deleted = (await findDeletedOrigins(db, sessionId)).filter((id) => !known.has(id));
  return [...deleted.map(deletedOrigin), ...stored];
}

/** Nothing but its id is left. */
function deletedOrigin(session_id: string): Relative {
  const nothing = { title: null, started_at: null, lines: 0, at_ordinal: null };
  return { session_id, kind: 'forked', is_origin: true, is_deleted: true, ...nothing };
}

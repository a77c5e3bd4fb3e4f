import type { SessionRow } from '../api/sessions.ts';
import type { Outline } from '../api/outline.ts';
import type { Tx } from '../store/engine.ts';
import { findSession } from '../store/queries/sessions/session-rows.ts';
import { readWaterfall } from '../store/queries/transcript/waterfall.ts';
import { readTurnCosts } from '../store/queries/usage/turn-costs.ts';
import { readCompactionDiff, readContext } from './context.ts';
import type { Queries, QueryDeps } from './queries.ts';
import { readMarkdown } from './read-range.ts';
import { listRelatives } from './relatives.ts';

interface DepthDeps extends Pick<QueryDeps, 'engine' | 'openRedactor'> {
  readonly readOutline: (tx: Tx, sessionId: string) => Promise<Outline>;
  /** Errors: conflict. */
  readonly ensureRows: (session: SessionRow) => SessionRow;
}

/** Queries about the views of one session. */
export function depthQueries({ engine, readOutline, ensureRows, openRedactor }: DepthDeps) {
  const within = <T>(id: string, read: (tx: Tx, sessionId: string) => Promise<T>) =>
    engine.snapshot(async (tx) => read(tx, ensureRows(await findSession(tx, id)).id));
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

/** Loaded only for data that leaves this device. */
async function openRowRedaction(openRedactor: QueryDeps['openRedactor']) {
  const { redactionOf } = await import('./redaction.ts');
  return redactionOf(await openRedactor());
}

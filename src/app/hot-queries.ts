import type { StatusReport } from '../api/server.ts';
import type { Get, QueryName } from '../api/table.ts';
import { systemTimezone } from '../lib/calendar.ts';
import type { Engine } from '../store/engine.ts';
import { countSessionsToIndex } from '../store/queries/claims/claims.ts';
import { readNewestStart } from '../store/queries/sessions/activity.ts';
import { getSessionDetail, listSessions } from '../store/queries/sessions/session-rows.ts';
import { readLiveNow, readRecentUsage, readTotals } from '../store/queries/sessions/totals.ts';
import { IDLE } from './import-tally.ts';
import type { Queries, QueryDeps } from './queries.ts';
import { selectSessions } from './read-query.ts';

/**
 * All queries. The code for interactive commands is loaded already; the rest, several times as large, is loaded when one
 * of its queries is first called.
 */
export function openQueries(deps: QueryDeps): Queries {
  const hot: Partial<Queries> = hotQueries(deps);
  let all: Promise<Queries> | undefined;
  const load = () => (all ??= import('./queries.ts').then(({ createQueries }) => createQueries(deps)));
  const find = (_: unknown, name: QueryName) =>
    hot[name] ?? (async (input: object) => ((await load())[name] as (input: object) => unknown)(input));
  return new Proxy({}, { get: find as (_: object, name: string | symbol) => unknown }) as Queries;
}

/** The same signature as the client of a server. */
export function getFrom(queries: Queries): Get {
  const call = (path: string, input: object = {}) =>
    (queries as unknown as Readonly<Record<string, (input: object) => unknown>>)[`GET ${path}`]?.({
      params: {},
      query: {},
      body: null,
      ...input,
    });
  return call as Get;
}

/** H14: reports aggregate all sessions and may take longer than a page of a list. */
export const MAX_REPORT_MS = 5_000;

export function hotQueries(deps: QueryDeps) {
  const { engine, clock } = deps;
  return {
    'GET /sessions': async ({ query }) =>
      listSessions(engine, { ...query, ...(await selectSessions(engine.kysely, query, clock.now())) }),
    'GET /sessions/:id': ({ params }) => engine.snapshot((tx) => getSessionDetail(tx, params.id)),
    'GET /status': () => engine.within(MAX_REPORT_MS, (limited) => readStatus(limited, deps)),
  } satisfies Partial<Queries>;
}

async function readStatus(engine: Engine, { environment, progress, clock }: QueryDeps): Promise<StatusReport> {
  const totals = await readTotals(engine.kysely);
  const toIndex = await countSessionsToIndex(engine);
  return {
    ...environment(),
    live: await readLiveNow(engine.kysely),
    ...(await readRecentUsage(engine.kysely, clock.now(), systemTimezone())),
    newest_session_at: await readNewestStart(engine.kysely),
    sessions: totals.sessions,
    messages: totals.messages,
    files: totals.files,
    archived_bytes: totals.archivedBytes,
    stored_bytes: totals.storedBytes,
    import: progress() ?? { ...IDLE, sessions_to_index: toIndex },
  };
}

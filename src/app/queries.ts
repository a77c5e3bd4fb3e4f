import type { EventsQuery } from '../api/activity.ts';
import type { Checkup } from '../api/checkup.ts';
import type { AnswerOf } from '../api/endpoint.ts';
import type { CommitsQuery } from '../api/history.ts';
import type { StatusReport } from '../api/server.ts';
import type { SessionFilters } from '../api/sessions.ts';
import type { Api, InputOf, QueryName } from '../api/table.ts';
import type { ToolsQuery, UsageQuery, UsageReport } from '../api/usage.ts';
import type { Clock } from '../domain/ports.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { SEARCH_MS, type SessionSelection } from '../domain/search.ts';
import { createCalendar, systemTimezone } from '../lib/calendar.ts';
import { startOfDate } from '../lib/dates.ts';
import { excerptOf } from '../reading/outline-turns.ts';
import type { Redactor } from '../redact/redact.ts';
import { filterNode } from '../search/parse-query.ts';
import type { Engine } from '../store/engine.ts';
import { listBrowserKeys } from '../store/queries/devices/browser-keys.ts';
import { findDevice, getDeviceDetail, listDevices } from '../store/queries/devices/devices.ts';
import { listAllEvents, pageEvents } from '../store/queries/events/events.ts';
import { listPullRequests } from '../store/queries/git/pull-requests.ts';
import { listCommits, pageGitActivity } from '../store/queries/git/read-git.ts';
import { listShares } from '../store/queries/people/shares.ts';
import { listViews } from '../store/queries/people/views.ts';
import { listFieldValues } from '../store/queries/search/field-values.ts';
import { readActivity } from '../store/queries/sessions/activity.ts';
import { readFacets } from '../store/queries/sessions/facets.ts';
import { shownSessions } from '../store/queries/sessions/field-conditions.ts';
import { readSessionDays } from '../store/queries/sessions/session-days.ts';
import { findSession, readStatuses } from '../store/queries/sessions/session-rows.ts';
import { listSteps } from '../store/queries/sessions/session-steps.ts';
import { readTimeline } from '../store/queries/sessions/timeline.ts';
import { readRescue } from '../store/queries/sessions/totals.ts';
import { listDocuments } from '../store/queries/transcript/documents.ts';
import { readDrift } from '../store/queries/transcript/drift.ts';
import { pageFileHistory } from '../store/queries/transcript/file-history.ts';
import { readLastLines } from '../store/queries/transcript/last-texts.ts';
import { readMessagePath } from '../store/queries/transcript/message-path.ts';
import { listParts, type PartName, type PartPage, type PartQuery } from '../store/queries/transcript/parts.ts';
import { readPrompts } from '../store/queries/transcript/prompts.ts';
import { pageTeams } from '../store/queries/transcript/teams.ts';
import { getTranscript } from '../store/queries/transcript/transcript-rows.ts';
import { pageFileChanges, pageWorkCalls } from '../store/queries/transcript/work-calls.ts';
import { listFileStats, listToolStats, readToolDays } from '../store/queries/transcript/work-stats.ts';
import { readBudgets } from '../store/queries/usage/budget-use.ts';
import { listCostSessions, readCostPeriods } from '../store/queries/usage/cost-breakdown.ts';
import { readCost } from '../store/queries/usage/read-cost.ts';
import { readSessionUsage } from '../store/queries/usage/session-usage.ts';
import { readUsage } from '../store/queries/usage/usage.ts';
import { findWorkspace, getWorkspaceDetail, pageWorkspaces } from '../store/queries/workspaces/workspace-rows.ts';
import type { Prices } from './cost/price-book.ts';
import type { DataSource } from './data-source.ts';
import { deletionQueries } from './deletion/queries.ts';
import { depthQueries, idWithRows } from './depth-queries.ts';
import { hotQueries, MAX_REPORT_MS } from './hot-queries.ts';
import { createOutlineReader } from './outline.ts';
import { momentsOf, readCostQuery, selectSessions } from './read-query.ts';
import { findInSession } from './read-range.ts';
import { countFacets, findHits, search } from './search.ts';

/**
 * One function for each query of the API, by the name of its endpoint. The server answers with them; the terminal calls
 * them in-process. A session, workspace or device may be named by a unique prefix. Errors: not_found, ambiguous.
 */
export type Queries = { readonly [N in QueryName]: (input: InputOf<N>) => Promise<AnswerOf<Api[N]>> };

/** The fields of a status report that are not in the store. */
export type Environment = Pick<
  StatusReport,
  'version' | 'mode' | 'is_demo' | 'claude_home' | 'claude_home_exists' | 'claude_homes' | 'data_home'
>;

export interface QueryDeps extends Pick<DataSource, 'openFile'> {
  readonly engine: Engine;
  readonly clock: Clock;
  /** This device. */
  readonly deviceId: string;
  readonly environment: () => Environment;
  /** Sessions of this machine that are stored and that Claude Code deletes soon. */
  readonly findExpiring: () => Promise<readonly string[]>;
  readonly prices: () => Promise<Prices>;
  /** Findings about this installation; `isFull` also reads the whole database. */
  readonly checkUp: (isFull: boolean) => Promise<Checkup>;
  /** The import under way in this process, if any. */
  readonly progress: () => StatusReport['import'] | null;
  /** The size and redactions of a share of this session. */
  previewShare(idOrPrefix: string): Promise<AnswerOf<Api['GET /sessions/:id/shares/preview']>>;
  /** Loaded only for data that leaves this device. Errors: bad_config. */
  openRedactor(): Promise<Redactor>;
}

export function createQueries(deps: QueryDeps): Queries {
  const readOutline = createOutlineReader(deps.engine);
  return {
    ...hotQueries(deps),
    ...sessionQueries({ ...deps, readOutline }),
    ...depthQueries({ ...deps, readOutline }),
    ...partQueries(deps),
    ...deletionQueries(deps),
    ...listQueries(deps),
    ...reportQueries(deps),
  };
}

type SessionDeps = QueryDeps & { readonly readOutline: ReturnType<typeof createOutlineReader> };

/** Queries about sessions that are given by id. */
function sessionQueries({ engine, clock, openFile, previewShare, readOutline }: SessionDeps) {
  const db = engine.kysely;
  const idOf = async ({ id }: { readonly id: string }) => (await findSession(db, id)).id;
  const now = () => clock.now().toISOString();
  return {
    'POST /sessions/batch-status': ({ body }) => readStatuses(db, body.session_ids),
    'GET /sessions/:id/events': async ({ params, query }) => pageEvents(db, await idOf(params), query),
    'GET /sessions/:id/git': async ({ params, query }) => pageGitActivity(db, await idOf(params), query),
    'GET /sessions/:id/steps': async ({ params }) => ({ steps: await listSteps(db, await idOf(params)) }),
    'GET /sessions/:id/usage': async ({ params }) => readSessionUsage(db, await idOf(params)),
    'GET /sessions/:id/documents': async ({ params, query }) => listDocuments(db, await idOf(params), query),
    'GET /sessions/:id/transcript': ({ params, query }) =>
      engine.snapshot(async (tx) => getTranscript(tx, await idWithRows(tx, params.id), query)),
    'GET /sessions/:id/outline': ({ params, query }) =>
      engine.snapshot(async (tx) => readOutline(tx, await idWithRows(tx, params.id), query.since)),
    'GET /sessions/:id/prompts': async ({ params, query }) => {
      const id = await idWithRows(db, params.id);
      const found = await readPrompts(db, id, { ...query, limit: query.limit + 1 });
      const prompts = found
        .slice(0, query.limit)
        .map(({ texts, ...prompt }) => ({ ...prompt, excerpt: excerptOf(texts) }));
      return { prompts, next_after: found.length > query.limit ? (prompts.at(-1)?.ordinal ?? null) : null };
    },
    'GET /sessions/:id/find': ({ params, query }) =>
      engine.snapshot(async (tx) => findInSession({ engine, clock }, tx, await idWithRows(tx, params.id), query.q)),
    'GET /sessions/:id/transcript/links': async ({ params, query }) => (await openFile(params.id, query.file)).links(),
    'GET /sessions/:id/messages/:message_id/path': async ({ params }) =>
      readMessagePath(db, await idWithRows(db, params.id), params.message_id),
    'GET /sessions/:id/shares/preview': ({ params }) => previewShare(params.id),
    'GET /sessions/:id/shares': async ({ params }) => ({ shares: await listShares(db, now(), await idOf(params)) }),
  } satisfies Partial<Queries>;
}

/** Lists within a session, each a table of the store. */
function partQueries({ engine }: QueryDeps) {
  const db = engine.kysely;
  const read = async <T extends PartName>(table: T, { id }: { readonly id: string }, query: PartQuery) => {
    return listParts(db, table, await idWithRows(db, id), query);
  };
  const list =
    <T extends PartName, F extends string>(table: T, field: F) =>
    async ({ params, query }: { readonly params: { readonly id: string }; readonly query: PartQuery }) => {
      const { rows, next_after } = await read(table, params, query);
      return { [field]: rows, next_after } as { [N in F]: PartPage<T>['rows'] } & { next_after: number | null };
    };
  return {
    'GET /sessions/:id/turns': list('turns', 'turns'),
    'GET /sessions/:id/branches': list('branch_points', 'branches'),
    'GET /sessions/:id/segments': list('conversation_segments', 'segments'),
    'GET /sessions/:id/compactions': list('compactions', 'compactions'),
    'GET /sessions/:id/tool-calls': ({ params, query: { name, status, denial, ...page } }) => {
      const where = { name: name === undefined ? undefined : [name], status, denial };
      return list('tool_calls', 'tool_calls')({ params, query: { ...page, where } });
    },
    'GET /sessions/:id/files': list('touched_files', 'files'),
    'GET /sessions/:id/subagents': async ({ params, query }) => {
      const id = await idWithRows(db, params.id);
      const { rows, next_after } = await listParts(db, 'subagents', id, query);
      const lines = await readLastLines(
        db,
        id,
        rows.map(({ agent_id }) => agent_id),
      );
      return { subagents: rows.map((row) => ({ ...row, last_line: lines.get(row.agent_id) ?? null })), next_after };
    },
    'GET /sessions/:id/teams': async ({ params }) => ({
      teams: (await read('teams', params, { limit: MAX_PAGE_ROWS })).rows,
      teammates: (await read('teammates', params, { limit: MAX_PAGE_ROWS })).rows,
    }),
    'GET /sessions/:id/links': list('session_links', 'links'),
    'GET /sessions/:id/api-errors': list('api_errors', 'api_errors'),
    'GET /sessions/:id/plans': list('plans', 'plans'),
    'GET /sessions/:id/todos': list('todos', 'todos'),
    'GET /sessions/:id/skills': list('skills', 'skills'),
    'GET /sessions/:id/questions': list('questions', 'questions'),
    'GET /sessions/:id/worktrees': list('worktrees', 'worktrees'),
    // Archiving keeps the pull requests that costs are grouped by.
    'GET /sessions/:id/pull-requests': async ({ params, query }) =>
      listPullRequests(db, (await findSession(db, params.id)).id, query),
  } satisfies Partial<Queries>;
}

/** Events, workspaces, devices, teams, searches, saved views, shares and keys of browsers. */
function listQueries({ engine, clock, deviceId, openRedactor }: QueryDeps) {
  const db = engine.kysely;
  const context = () => ({ deviceId, now: clock.now() });
  return {
    'GET /events': async ({ query }) => listAllEvents(db, await readEventsQuery(engine, query, clock.now())),
    'GET /workspaces': ({ query }) => pageWorkspaces(db, query),
    'GET /workspaces/:workspace_id': ({ params }) => getWorkspaceDetail(db, params.workspace_id),
    'GET /devices': async () => ({ devices: await listDevices(db, context()) }),
    'GET /devices/:device_id': ({ params }) => getDeviceDetail(db, params.device_id, context()),
    'GET /teams': ({ query }) => pageTeams(db, query),
    'GET /search/values': ({ query: { field, all, ...query } }) =>
      engine.within(SEARCH_MS, (limited) =>
        listFieldValues(limited, field, { ...query, sessions: shownSessions(null, all) }),
      ),
    'GET /views': async () => ({ views: await listViews(db) }),
    'GET /shares': async () => ({ shares: await listShares(db, clock.now().toISOString()) }),
    'GET /browser-keys': async () => ({ keys: await listBrowserKeys(db) }),
    'GET /search/facets': ({ query }) => countFacets({ engine, clock }, query),
    'GET /sessions/:id/hits': async ({ params, query }) =>
      findHits({ engine, clock }, await idWithRows(db, params.id), query),
    'GET /search': async ({ query }) => {
      const redactor = query.redact === true ? await openRedactor() : null;
      const workspaceId = query.workspace === undefined ? null : (await findWorkspace(db, query.workspace)).id;
      return search({ engine, clock }, { ...query, workspaceId }, redactor);
    },
  } satisfies Partial<Queries>;
}

interface Reports {
  report<T>(read: (limited: Engine) => Promise<T>): Promise<T>;
  /** A report on the sessions that filters select. */
  reportOn<T>(filters: SessionFilters, read: (limited: Engine, selection: SessionSelection) => Promise<T>): Promise<T>;
}

function reportQueries(deps: QueryDeps) {
  const { engine, clock } = deps;
  const reports: Reports = {
    report: (read) => engine.within(MAX_REPORT_MS, read),
    reportOn: (filters, read) =>
      reports.report(async (limited) => read(limited, await selectSessions(limited.kysely, filters, clock.now()))),
  };
  const { report, reportOn } = reports;
  return {
    'GET /timeline': ({ query }) =>
      reportOn(query, (limited, selection) => readTimeline(limited, { ...query, ...selection })),
    'GET /activity': async ({ query: { since, until, ...filters } }) => {
      const { timezone, ...days } = readCostQuery({ since, until, timezone: filters.zone }, clock.now());
      const range = momentsOf({ timezone, ...days });
      return reportOn(filters, async (limited, selection) => ({
        timezone,
        since: range.since,
        until: range.until,
        ...(await readActivity(limited, { ...selection, ...range })),
      }));
    },
    'GET /usage': ({ query }) => report((limited) => readUsageOf(limited, query, clock.now())),
    ...costViews(deps, reports),
    'GET /facets': ({ query }) => reportOn(query, readFacets),
    'GET /session-days': ({ query: { days, zone = systemTimezone(), ...filters } }) =>
      reportOn({ ...filters, zone }, async (limited, selection) => ({
        days: await readSessionDays(limited, { days, zone, ...selection }, clock.now()),
      })),
    'GET /commits': ({ query }) =>
      report(async (limited) => listCommits(limited, await readCommitsQuery(limited, query, clock.now()))),
    ...workViews(deps, reports),
    'GET /checkup': ({ query }) => deps.checkUp(query.full ?? false),
    'GET /drift': () => report(({ kysely }) => readDrift(kysely)),
    'GET /rescue': () => report(async ({ kysely }) => readRescue(kysely, await deps.findExpiring())),
  } satisfies Partial<Queries>;
}

function workViews({ clock }: QueryDeps, { report, reportOn }: Reports) {
  return {
    'GET /tools': ({ query }) =>
      report(async (limited) => ({
        tools: await listToolStats(limited, { ...query, ...(await selectWork(limited, query, clock.now())) }),
      })),
    'GET /tools/days': ({ query }) =>
      reportOn(query, (limited, selection) => readToolDays(limited, { zone: query.zone, ...selection })),
    'GET /tool-calls': ({ query: { limit, cursor, name, status, ...filters } }) =>
      reportOn(filters, (limited, selection) => pageWorkCalls(limited, { limit, cursor, name, status, ...selection })),
    'GET /files': ({ query }) =>
      report(async (limited) => ({
        files: await listFileStats(limited, { ...query, ...(await selectWork(limited, query, clock.now())) }),
      })),
    'GET /files/changes': ({ query }) => report((limited) => pageFileChanges(limited, query)),
    'GET /files/history': ({ query }) =>
      reportOn(query, (limited, selection) => pageFileHistory(limited, { ...query, ...selection })),
  } satisfies Partial<Queries>;
}

function costViews({ clock, prices }: QueryDeps, { report }: Reports) {
  const readDays = ({ zone, since, until }: { zone: string; since?: string | undefined; until?: string | undefined }) =>
    readCostQuery({ timezone: zone, since, until }, clock.now());
  return {
    'GET /cost': async ({ query: { zone, ...words } }) => {
      const query = readCostQuery({ ...words, timezone: zone }, clock.now());
      const { facts } = await prices();
      return report(({ kysely }) => readCost(kysely, query, facts, clock.now()));
    },
    'GET /budgets': ({ query: { zone } }) =>
      report(async ({ kysely }) => {
        const { timezone } = createCalendar(zone);
        return { timezone, budgets: await readBudgets(kysely, { timezone, now: clock.now() }) };
      }),
    'GET /cost/periods': ({ query: { zone } }) => report(({ kysely }) => readCostPeriods(kysely, zone, clock.now())),
    'GET /cost/breakdown': async ({ query }) => {
      const [{ readCostBreakdown }, known] = await Promise.all([import('./cost/cost-views.ts'), prices()]);
      return report(({ kysely }) => readCostBreakdown(kysely, readDays(query), known));
    },
    'GET /cost/sessions': ({ query }) => report(({ kysely }) => listCostSessions(kysely, readDays(query), query)),
    'GET /prices': async () => (await import('./cost/cost-views.ts')).describeBook(await prices()),
  } satisfies Partial<Queries>;
}

/** Dates and models filter usage; all other filters select sessions. */
async function readUsageOf(engine: Engine, query: UsageQuery, now: Date): Promise<UsageReport> {
  const { by, zone, after, before, model, ...filters } = query;
  const { where = null } = await selectSessions(engine.kysely, { ...filters, zone }, now);
  return readUsage(engine, { by, zone, where, usage: filterNode({ after, before, model }, { now, zone }) });
}

/** Errors: not_found, ambiguous, conflict for a session given by name. */
async function selectWork({ kysely }: Engine, query: ToolsQuery, now: Date): Promise<SessionSelection> {
  const { session, session_id = session, ...filters } = query;
  const one = session_id === undefined ? {} : { session: await idWithRows(kysely, session_id) };
  return selectSessions(kysely, { ...filters, ...one }, now);
}

async function readEventsQuery({ kysely }: Engine, query: EventsQuery, now: Date): Promise<EventsQuery> {
  const { session_id, workspace_id, device_id, after, before, zone } = query;
  return {
    ...query,
    session_id: session_id && (await findSession(kysely, session_id)).id,
    workspace_id: workspace_id && (await findWorkspace(kysely, workspace_id)).id,
    device_id: device_id && (await findDevice(kysely, device_id)).id,
    after: after && startOfDate(after, { now, zone, name: 'after' }),
    before: before && startOfDate(before, { now, zone, name: 'before' }),
  };
}

async function readCommitsQuery({ kysely }: Engine, query: CommitsQuery, now: Date) {
  const { workspace, after, before, zone, ...page } = query;
  return {
    ...page,
    workspaceId: workspace && (await findWorkspace(kysely, workspace)).id,
    after: after && startOfDate(after, { now, zone, name: 'after' }),
    before: before && startOfDate(before, { now, zone, name: 'before' }),
  };
}

import type { Expression, SqlBool } from 'kysely';
import type { SessionFilters } from '../api/sessions.ts';
import type { ToolsQuery } from '../api/work.ts';
import type { BlobStore, Clock } from '../domain/ports.ts';
import { systemTimezone } from '../domain/calendar.ts';
import type { PriceFacts } from '../domain/cost.ts';
import { FuelError } from '../domain/errors.ts';
import { IDLE, type ImportProgress, type SessionRow, type StatusReport } from '../domain/query.ts';
import { SEARCH_MS, type SearchAnswer, type SearchQuestion } from '../domain/search.ts';
import type { JsonValue } from '../domain/transcript.ts';
import type { ExportDeps } from '../pipeline/export-session.ts';
import { exportName } from '../reading/names.ts';
import type { Redactor } from '../redact/redact.ts';
import type { PageFile } from '../share/page/page.ts';
import type { PageReads } from '../share/page/redacted-reads.ts';
import { searchSessions } from '../search/search-sessions.ts';
import type { Engine } from '../store/engine.ts';
import { listChanges, listMessageSizes, readClock } from '../store/queries/sessions/changes.ts';
import { countDue } from '../store/queries/claims/claims.ts';
import { readCost } from '../store/queries/usage/cost.ts';
import { findDevice, getDeviceDetail, listDevices } from '../store/queries/devices/devices.ts';
import { listDocuments } from '../store/queries/transcript/documents.ts';
import { readDrift } from '../store/queries/transcript/drift.ts';
import { listAllEvents, pageEvents } from '../store/queries/events/events.ts';
import { pageGitActivity } from '../store/queries/git/git-activity.ts';
import { readMessagePath } from '../store/queries/transcript/message-path.ts';
import { listParts } from '../store/queries/transcript/parts.ts';
import { createSearchIndex } from '../store/queries/search/search.ts';
import { titleContains } from '../store/queries/sessions/session-filters.ts';
import { getSessionDetail } from '../store/queries/sessions/session-detail.ts';
import { findSession, listSessions, readStatuses } from '../store/queries/sessions/session-rows.ts';
import { listShares } from '../store/queries/people/shares.ts';
import { listSteps } from '../store/queries/sessions/session-steps.ts';
import { readSessionUsage } from '../store/queries/sessions/session-usage.ts';
import { pageTeams } from '../store/queries/transcript/teams.ts';
import { readTimeline } from '../store/queries/sessions/timeline.ts';
import { readTotals } from '../store/queries/sessions/totals.ts';
import { getMessagesAt, getTranscript } from '../store/queries/transcript/transcript-rows.ts';
import { readUsage } from '../store/queries/usage/usage.ts';
import { listFileStats, listToolStats } from '../store/queries/transcript/work-stats.ts';
import { readLiveNow, readToday } from '../store/queries/sessions/status-figures.ts';
import { findWorkspace, getWorkspaceDetail, pageWorkspaces } from '../store/queries/workspaces/workspace-rows.ts';
import type { LiveSource } from './live/follow.ts';
import type { LiveHub } from './live/hub.ts';
import { openFile } from './open-file.ts';
import type { Reads } from './queries.ts';

/** What a status report says that is not in the store. */
export type Surroundings = Pick<
  StatusReport,
  'version' | 'mode' | 'is_demo' | 'claude_home' | 'claude_home_exists' | 'claude_homes' | 'data_home'
>;

export interface StoreReadsOptions {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  /** This machine. */
  readonly deviceId: string;
  readonly hub: LiveHub;
  readonly surroundings: () => Surroundings;
  readonly price: ExportDeps['price'];
  /** Loaded only for what leaves. Errors: bad_config. */
  readonly openRedactor: () => Promise<Redactor>;
  /** Where the prices come from that costs are told with. */
  readonly priceFacts: () => Promise<PriceFacts>;
  /** The import under way in this process, if any. */
  readonly progress: () => ImportProgress | null;
}

/** H14: reports sum up all there is, and may take PostgreSQL longer than what is looked at page by page. */
const MAX_REPORT_MS = 5_000;

/** The answers of the server, straight from the store. */
export function createStoreReads(options: StoreReadsOptions): Reads {
  const { engine } = options;
  const db = engine.kysely;
  const report = <T>(read: (limited: Engine) => Promise<T>) => engine.within(MAX_REPORT_MS, read);
  const asking = () => ({ deviceId: options.deviceId, now: options.clock.now() });
  const idOf = async (idOrPrefix: string) => (await findSession(db, idOrPrefix)).id;
  const reads: Reads = {
    listSessions: async (query) => listSessions(db, await withPlaces(engine, query), withTitle(engine, query)),
    getSession: (idOrPrefix) => engine.snapshot((tx) => getSessionDetail(tx, idOrPrefix)),
    batchStatus: (ids) => readStatuses(db, ids),
    getTranscript: (idOrPrefix, query) =>
      engine.snapshot(async (tx) => getTranscript(tx, withRows(await findSession(tx, idOrPrefix)).id, query)),
    getPath: async (idOrPrefix, messageId) =>
      readMessagePath(db, withRows(await findSession(db, idOrPrefix)).id, messageId),
    openFile: async (idOrPrefix, path) => openFile(options, await idOf(idOrPrefix), path),
    listParts: async (table, idOrPrefix, query) =>
      listParts(db, table, (table === 'pull_requests' ? same : withRows)(await findSession(db, idOrPrefix)).id, query),
    listEvents: async (idOrPrefix, query) => pageEvents(db, await idOf(idOrPrefix), query),
    listAllEvents: async (query) => listAllEvents(db, await withPlaces(engine, query)),
    listGit: async (idOrPrefix, query) => pageGitActivity(db, await idOf(idOrPrefix), query),
    listDocuments: async (idOrPrefix, query) => listDocuments(db, await idOf(idOrPrefix), query),
    listSteps: async (idOrPrefix) => listSteps(db, await idOf(idOrPrefix)),
    exportSession: (idOrPrefix, { raw }) => exportOne(options, idOrPrefix, raw),
    ...sharingReads(options, () => reads),
    listShares: async (idOrPrefix) =>
      listShares(db, options.clock.now().toISOString(), idOrPrefix === undefined ? undefined : await idOf(idOrPrefix)),
    getUsage: async (idOrPrefix) => readSessionUsage(db, await idOf(idOrPrefix)),
    timeline: (query) => report(async (limited) => readTimeline(limited.kysely, await withPlaces(limited, query))),
    listWorkspaces: (query) => pageWorkspaces(db, query),
    getWorkspace: (name) => getWorkspaceDetail(db, name),
    listDevices: () => listDevices(db, asking()),
    getDevice: (name) => getDeviceDetail(db, name, asking()),
    listTeams: (query) => pageTeams(db, query),
    usage: (query) => report(async (limited) => readUsage(limited.kysely, await withPlaces(limited, query))),
    cost: async (query) => {
      const facts = await options.priceFacts();
      return report(({ kysely }) => readCost(kysely, query, facts));
    },
    toolStats: (query) =>
      report(async (limited) => listToolStats(limited.kysely, await withOne(limited, query), withTitle(engine, query))),
    fileStats: (query) =>
      report(async (limited) => listFileStats(limited.kysely, await withOne(limited, query), withTitle(engine, query))),
    drift: () => report(({ kysely }) => readDrift(kysely)),
    search: (question) => search(options, question),
    status: () => report((limited) => status(limited, options)),
    ping: async () => void (await readClock(db)),
    live: liveSource(options),
  };
  return reads;
}

/** An archived session has no rows; an empty list would say that nothing happened in it. Errors: conflict. */
function withRows(session: SessionRow): SessionRow {
  if (session.lifecycle !== 'archived') return session;
  throw new FuelError('conflict', `The rows of session ${session.id} were archived.`, {
    hint: `\`fuel-code session ${session.id.slice(0, 8)} --restore\` or POST /api/sessions/${session.id}/restore brings them back.`,
  });
}

/** Archiving keeps the pull requests that costs are grouped by. */
function same(session: SessionRow): SessionRow {
  return session;
}

/** A query that names workspace or machine in any way a person would, with their ids. */
async function withPlaces<Q extends Pick<SessionFilters, 'workspace_id' | 'device_id'>>(
  { kysely }: Engine,
  query: Q,
): Promise<Q> {
  const { workspace_id, device_id } = query;
  return {
    ...query,
    ...(workspace_id === undefined ? {} : { workspace_id: (await findWorkspace(kysely, workspace_id)).id }),
    ...(device_id === undefined ? {} : { device_id: (await findDevice(kysely, device_id)).id }),
  };
}

/** The same, with the id of the session that it names. */
async function withOne<Q extends ToolsQuery>(engine: Engine, query: Q): Promise<Q> {
  const placed = await withPlaces(engine, query);
  const { session_id } = query;
  return session_id === undefined
    ? placed
    : { ...placed, session_id: (await findSession(engine.kysely, session_id)).id };
}

function withTitle(engine: Engine, { title }: Pick<SessionFilters, 'title'>): readonly Expression<SqlBool>[] {
  return title === undefined ? [] : [titleContains(engine, title)];
}

/** The reader is loaded only for this. */
async function exportOne(options: StoreReadsOptions, idOrPrefix: string, raw: boolean): Promise<PageFile> {
  const { id, title, initial_prompt, git_branch } = await getSessionDetail(options.engine.kysely, idOrPrefix);
  const redactor = raw ? null : await options.openRedactor();
  const redact = <T extends JsonValue>(value: T): T => (redactor === null ? value : (redactor.json(value).value as T));
  const { exportSession } = await import('../pipeline/export-session.ts');
  return {
    // The name of the file is made of texts of the session.
    fileName: exportName({ id, ...redact({ title, initial_prompt, git_branch }) }, 'json'),
    texts: exportSession(options, id, redact),
  };
}

/** What makes pages is loaded only where one is made or read. */
function sharingReads(options: StoreReadsOptions, reads: () => PageReads): SharingReads {
  const now = () => options.clock.now();
  const pageDeps = async () => ({ reads: reads(), redactor: await options.openRedactor(), now });
  return {
    openPage: async (idOrPrefix) => {
      const { openPage } = await import('../share/page/page.ts');
      return openPage(await pageDeps(), idOrPrefix);
    },
    previewShare: async (idOrPrefix) => {
      const { previewShare } = await import('../share/make-share.ts');
      return previewShare(await pageDeps(), idOrPrefix);
    },
    openShare: async (token) => {
      const { openShare } = await import('../share/open-share.ts');
      return openShare({ ...options, now }, token);
    },
  };
}

type SharingReads = Pick<Reads, 'openPage' | 'previewShare' | 'openShare'>;

function liveSource({ engine: { kysely }, hub, progress }: StoreReadsOptions): LiveSource {
  return {
    clock: () => readClock(kysely),
    changes: (query) => listChanges(kysely, query),
    messageSizes: (sessionId) => listMessageSizes(kysely, sessionId),
    messagesAt: (sessionId, ordinals) => getMessagesAt(kysely, sessionId, ordinals),
    progress,
    subscribe: (listener) => hub.subscribe(listener),
  };
}

/** H14: when its time is over, a search may still say what it has found. */
const LAST_WORDS_MS = 500;

function search({ engine, clock }: StoreReadsOptions, question: SearchQuestion): Promise<SearchAnswer> {
  const endMs = clock.monotonicMs() + SEARCH_MS;
  const leftMs = () => Math.max(LAST_WORDS_MS, endMs - clock.monotonicMs());
  return searchSessions(createSearchIndex(engine, { leftMs }), question, clock);
}

async function status(
  engine: Engine,
  { surroundings, progress, clock }: Pick<StoreReadsOptions, 'surroundings' | 'progress' | 'clock'>,
): Promise<StatusReport> {
  const totals = await readTotals(engine.kysely);
  const toIndex = await countDue(engine, 'index');
  return {
    ...surroundings(),
    live: await readLiveNow(engine.kysely),
    today: await readToday(engine.kysely, clock.now(), systemTimezone()),
    sessions: totals.sessions,
    messages: totals.messages,
    files: totals.files,
    archived_bytes: totals.archivedBytes,
    stored_bytes: totals.storedBytes,
    import: progress() ?? { ...IDLE, sessions_to_index: toIndex },
  };
}

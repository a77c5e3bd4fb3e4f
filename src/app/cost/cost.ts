import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { CostReport } from '../../api/usage.ts';
import { canWrite } from '../../archive/state.ts';
import { loadDevice } from '../../capture/device.ts';
import { byHomeAndPath, confirmUnchanged, discoverTranscripts, type FoundFile } from '../../capture/discover.ts';
import { openFolderRecords } from '../../capture/folder-record.ts';
import { homesToRead } from '../../capture/homes.ts';
import { createIgnoreRule } from '../../capture/project-folder.ts';
import { sessionOfTranscript } from '../../capture/transcript-session.ts';
import { type Config, databasePath } from '../../config.ts';
import { type CostGroup, type CostQuery, TIME_GROUPS, type UsageCell } from '../../domain/cost.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Tx } from '../../store/engine.ts';
import { listSeenFiles } from '../../store/queries/archive/archive.ts';
import { countDeletions, loadDeleted } from '../../store/queries/deletions/deletions.ts';
import { measureBudgets } from '../../store/queries/usage/budget-use.ts';
import { type LineCosts, loadCostSessions, readLineCosts } from '../../store/queries/usage/cost.ts';
import { loadRatedUsage } from '../../store/queries/usage/cost-breakdown.ts';
import { makeCostReport } from '../../store/queries/usage/cost-report.ts';
import { loadCellsBeyond, readRollupState } from '../../store/queries/usage/price-state.ts';
import { readCost } from '../../store/queries/usage/read-cost.ts';
import { openStore, type Store } from '../../store/store.ts';
import { indexKey } from '../../store/text.ts';
import { PARSER_VERSION } from '../../transcript/parser-version.ts';
import type { PriceBook } from '../../transcript/price/book.ts';
import { appliedRates } from '../../transcript/price/price-usage.ts';
import type { RowColumns } from '../../transcript/scan/usage-rows.ts';
import type { UsageTotal } from '../../transcript/scan/usage-totals.ts';
import { VERSION } from '../../version.ts';
import { usdPerMillion } from './cost-views.ts';
import { loadPriceBook } from './price-book.ts';
import { loadPricing, priceBookFor } from './prices.ts';
import type { UsageScan } from './usage-scan.ts';

type CostBasis = Pick<CostDeps, 'config' | 'clock'>;

export interface CostDeps {
  readonly config: Config;
  readonly clock: Clock;
  /** Brings the store up to date; false when another process is importing and `waits` is false. */
  readonly importNew: (options: { readonly waits: boolean }) => Promise<boolean>;
  /** Larger imports would take too long for an interactive command. */
  readonly maxCatchUpBytes?: number;
}

/**
 * Token usage and cost, exact in every state of the store: from the rollups if nothing on disk is newer; after an import
 * if that is quick or if only the store has the answer; otherwise from the transcripts and whatever exists only in the
 * store.
 */
export async function answerCost(query: CostQuery, deps: CostDeps): Promise<CostReport> {
  const { config } = deps;
  if (!isStoreThere(config)) return answerWithoutStore(query, deps);
  await using store = await openCostStore(config);
  const { way, isScannable } = await planCost(query, deps, store);
  const isCurrent = way === 'store' || (way === 'import' && (await deps.importNew({ waits: !isScannable })));
  return await (isCurrent ? storeCost : scanCost)(query, deps, store);
}

async function answerWithoutStore(query: CostQuery, deps: CostDeps): Promise<CostReport> {
  if (SCANNED_GROUPS.has(query.by)) return scanCost(query, deps, null);
  await deps.importNew({ waits: true });
  return readStoredCost(query, deps);
}

/** The cost according to the store, which may be out of date. */
export async function readStoredCost(query: CostQuery, deps: CostBasis): Promise<CostReport> {
  await using store = await openCostStore(deps.config);
  return await storeCost(query, deps, store);
}

async function storeCost(query: CostQuery, { config, clock }: CostBasis, { engine }: Store): Promise<CostReport> {
  const { facts } = await loadPriceBook(config.home);
  return readCost(engine.kysely, query, facts, clock.now());
}

/** About what an import reads in one second. */
const MAX_CATCH_UP_BYTES = 16 * 1024 * 1024;

interface CostPlan {
  readonly way: 'store' | 'import' | 'scan';
  /** Whether the transcripts alone can answer. */
  readonly isScannable: boolean;
}

async function planCost(
  { by }: CostQuery,
  { config, clock, maxCatchUpBytes = MAX_CATCH_UP_BYTES }: CostDeps,
  store: Store,
): Promise<CostPlan> {
  const { engine } = store;
  const folder = engine.isReadOnly || !canWrite(config.home) ? 'read-only' : 'writable';
  const device = loadDevice(config.home, clock, folder);
  const { priceStamp } = await loadPricing(config.home);
  const priceBook = folder === 'read-only' ? undefined : await priceBookFor({ engine, device, priceStamp });
  const versions = { parserVersion: PARSER_VERSION, priceBook };
  const { waitingBytes, archivedSessions } = await readRollupState(engine.kysely, versions);
  const unreadBytes = waitingBytes + (await countUnreadBytes(store, config, device.id));
  // Sessions that exist only as rollups cannot be compared with the disk message by message.
  const isScannable = SCANNED_GROUPS.has(by) && archivedSessions === 0;
  if (unreadBytes === 0) return { way: 'store', isScannable };
  if (folder === 'read-only') return { way: isScannable ? 'scan' : 'store', isScannable };
  return { way: unreadBytes > maxCatchUpBytes && isScannable ? 'scan' : 'import', isScannable };
}

/** The scan reads neither branches nor pull requests, and only the import knows the repository of a folder. */
const SCANNED_GROUPS: ReadonlySet<CostGroup> = new Set([...TIME_GROUPS, 'model', 'session']);

function isStoreThere({ databaseUrl, home }: Config): boolean {
  return databaseUrl !== null || existsSync(databasePath(home));
}

/** Opens only the store, without loading the archive or the importer. */
function openCostStore({ databaseUrl, home }: Config): Promise<Store> {
  return openStore({ databaseUrl, sqlitePath: databasePath(home), onIdleError: () => {} });
}

/** Compares sizes and times only. Changed files count in full because their sessions are parsed in full. */
async function countUnreadBytes({ engine }: Store, config: Config, deviceId: string): Promise<number> {
  const seen = byHomeAndPath(await listSeenFiles(engine.kysely, deviceId, ['main', 'agent']));
  const records = openFolderRecords(config.home, { version: VERSION, isReadOnly: engine.isReadOnly });
  const rules = { ignoresProject: createIgnoreRule(config.ignore), scope: 'transcripts' } as const;
  if (confirmUnchanged(homesToRead(config), seen, { ...rules, records }) !== null) return 0;
  return (await listTranscripts(config, engine.kysely))
    .filter(({ root, path, sizeBytes, mtimeMs }) => {
      const known = seen.get(root)?.get(path);
      return known?.sizeBytes !== sizeBytes || known.mtimeMs !== mtimeMs;
    })
    .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Deleted sessions do not come back through their files. */
async function listTranscripts(config: Config, db: Tx | null): Promise<readonly FoundFile[]> {
  const { files } = discoverTranscripts(homesToRead(config), createIgnoreRule(config.ignore));
  const { sessions: deleted } = db === null ? NONE_DELETED : await loadDeleted(db);
  if (deleted.size === 0) return files;
  return files.filter((file) => !deleted.has(sessionOfTranscript(file)));
}

const NONE_DELETED = { sessions: new Map<string, string>() };

const PROJECTS = 'projects/';
const MAX_THREADS = 8;
/** Below this, starting a thread takes longer than reading without it. */
const BYTES_PER_THREAD = 32 * 1024 * 1024;

async function scanCost(query: CostQuery, { config, clock }: CostBasis, store: Store | null): Promise<CostReport> {
  const { book, facts } = await loadPriceBook(config.home);
  const { totals, scans } = await scanTranscripts(query, config, book, store);
  const unreadable = scans.reduce((sum, { missingFiles }) => sum + missingFiles, 0);
  const cells = totals.map(toCell);
  const now = clock.now();
  const deleted_sessions = store === null ? 0 : await countDeletions(store.engine.kysely);
  const counted = { unreadable, deleted_sessions, now };
  const figures = { source: 'transcripts', prices: facts, client: null, ...counted } as const;
  if (store === null) return makeCostReport(query, { ...figures, cells, sessions: new Map(), budgets: [] });
  const { kysely } = store.engine;
  const { heldMessages } = await import('../../transcript/scan/api-messages.ts');
  const beyond = await loadCellsBeyond(kysely, heldMessages(scans.map(({ columns }) => columns)));
  const all = [...cells, ...beyond];
  const sessions = await loadCostSessions(kysely, query.by);
  const budgets = await measureBudgets(kysely, { timezone: query.timezone, now }, async () => all);
  return makeCostReport(query, { ...figures, cells: all, sessions, budgets });
}

async function scanTranscripts(
  { by }: CostQuery,
  config: Config,
  book: PriceBook,
  store: Store | null,
): Promise<UsageScan> {
  const { scanUsage } = await import('./usage-scan.ts');
  const files = await listTranscripts(config, store?.engine.kysely ?? null);
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const threads = Math.min(availableParallelism(), MAX_THREADS, Math.ceil(bytes / BYTES_PER_THREAD) || 1);
  const transcripts = files.map((file) => ({
    path: file.path.slice(PROJECTS.length),
    absolutePath: file.absolutePath,
    sessionId: sessionOfTranscript(file),
    agentId: file.agentId,
  }));
  const judge = async (parts: readonly RowColumns[]) => {
    const { createJudge } = await import('./usage-judge.ts');
    return createJudge(parts, { files: transcripts, db: store?.engine.kysely ?? null });
  };
  return scanUsage(transcripts, { book, threads, judge: by === 'session' ? judge : undefined });
}

function toCell(total: UsageTotal): UsageCell {
  return {
    sessionId: total.sessionId,
    slot: total.slot < 0 ? null : total.slot,
    model: indexKey(total.model),
    branch: '',
    isSubagent: total.isAgent,
    messages: total.messages,
    unpricedMessages: total.unpricedMessages,
    tokensIn: total.input,
    tokensOut: total.output,
    cacheRead: total.cacheRead,
    cacheWrite: total.cacheWrite5m + total.cacheWrite1h,
    cacheWrite1h: total.cacheWrite1h,
    costNanos: total.costNanos,
  };
}

export interface CostExplanation {
  readonly rates: readonly {
    readonly model: string;
    /** The row of the price book, then the overrides of its rates; null when no row has the model. */
    readonly rate_id: string | null;
    readonly messages: number;
    readonly cost_nanos: number;
    /** Input, output, cache read, cache write for 5 minutes and for an hour; null without a price. */
    readonly per_million_usd: readonly number[] | null;
  }[];
  readonly rules: readonly string[];
  readonly line_costs: LineCosts | null;
}

const RULES = [
  'Each message counts once, in the session where it first appeared, with the largest figures of all its copies.',
  'Each message is priced at the list price of its day. +long marks long-context prices; +fast, +batch and +us mark a surcharge or discount on the price shown. Web searches cost $10 per thousand.',
  'Other tools may differ because they count every line or copy, ignore cache tiers, or use one price for all days. See docs/cost.md.',
];

/** The prices and rules behind the costs of a period. */
export async function explainCost(query: CostQuery, config: Config): Promise<CostExplanation> {
  const { book } = await loadPriceBook(config.home);
  await using store = await openCostStore(config);
  const { kysely } = store.engine;
  const rated = await loadRatedUsage(kysely, query);
  return {
    rates: rated.map(({ model, rate_id, messages, cost_nanos }) => {
      const applied = appliedRates(book, rate_id);
      const per_million_usd = applied === null ? null : Object.values(usdPerMillion(applied.rates));
      return { model, rate_id: rate_id || null, messages, cost_nanos, per_million_usd };
    }),
    rules: RULES,
    line_costs: await readLineCosts(kysely),
  };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { ImportProgress } from '../api/server.ts';
import { type ChangedFile, type Changes, findChanges } from '../archive/find-changes.ts';
import { countUnknownCaptures, ensureJournal, ensureWritable, openDataFolder } from '../archive/state.ts';
import { type DeviceIdentity, loadDevice } from '../capture/device.ts';
import { openFolderRecords } from '../capture/folder-record.ts';
import { homeOfTranscript, homesToRead, listHomes, rememberHomes } from '../capture/homes.ts';
import { createIgnoreRule, decodeProjectFolder } from '../capture/project-folder.ts';
import { type Config, databasePath } from '../config.ts';
import { HOUR_MS } from '../domain/durations.ts';
import { FuelError } from '../domain/errors.ts';
import { FILES_AT_ONCE } from '../domain/pipeline.ts';
import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
import type { DrainReport } from '../ingest/events/drain-spool.ts';
import { forgetInterrupted, type HeldFolder, holdFolder, listInterrupted, useFolder } from '../lib/data-folder.ts';
import type { Log } from '../lib/log.ts';
import { identityOf } from '../lib/process-identity.ts';
import type { AiSummaries } from '../pipeline/ask-summary.ts';
import type { BulkStarters } from '../pipeline/bulk.ts';
import { rememberGrowing } from '../pipeline/growing-sessions.ts';
import type { Masking } from '../pipeline/masking.ts';
import type { PipelineDeps } from '../pipeline/steps.ts';
import type { ShareDeps } from '../share/make-share.ts';
import type { Engine } from '../store/engine.ts';
import { importLease, releaseLeasesOf, withLease } from '../store/queries/claims/leases.ts';
import { releaseClaimsOf, releaseDeadClaims } from '../store/queries/claims/unfinished.ts';
import { openStore, type Store } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { bulkStarters } from './bulk-starters.ts';
import { loadPriceBook } from './cost/price-book.ts';
import { loadPricing, type Pricing, priceBookFor } from './cost/prices.ts';
import { createDataSource, type DataSource } from './data-source.ts';
import type { PurgeOutcome } from './deletion/purge.ts';
import { dueTimes, isUpToDate, liveSignsOf } from './due-work.ts';
import type { ImportReport } from './import.ts';
import { createTally } from './import-tally.ts';
import { createLiveHub } from './live.ts';
import { openMasking } from './masking.ts';
import { type Archive, openArchive } from './open-archive.ts';
import type { Environment } from './queries.ts';
import type { SessionGit } from './session-git.ts';
import type { ShippingReport, ShipReport, ShipScope } from './shipping/ship.ts';

export interface AppOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly isDemo?: boolean;
  /** Instead of the database in the data folder; used by `rebuild`. */
  readonly sqlitePath?: string;
  /** Nobody waits for the answers of the database. */
  readonly isBackground?: boolean;
}

/** The opened program: everything with a lifetime, wired once. */
export interface App extends AsyncDisposable, DataSource {
  readonly config: Config;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
  /** The data folder that was opened. */
  readonly folder: HeldFolder;
  readonly device: DeviceIdentity;
  readonly masking: Masking;
  /** The data folder is not writable: stored data is shown and nothing is imported. */
  readonly isReadOnly: boolean;
  /** Imports new data. Errors: busy when another process is importing into this data folder. */
  importNew(options?: ImportOptions): Promise<ImportReport>;
  /** Dependencies of the pipeline steps, for running some of them manually. */
  openPipeline(options?: OpenPipelineOptions): Promise<PipelineDeps & BulkStarters>;
  /** Stores spooled hook events; loads nothing while the spool is empty. */
  drainHooks(): Promise<DrainReport>;
  /** Sends everything the configured server lacks; null without a server, or while another process is sending. */
  ship(signal: AbortSignal, scope?: ShipScope): Promise<ShipReport | null>;
  /** The state of shipping; null when no server is configured. */
  reportShipping(): Promise<ShippingReport | null>;
  openSharing(): Promise<ShareDeps>;
  /** Removes expired and revoked shared pages, and the bytes of deleted sessions. */
  sweep(): Promise<void>;
  /** Removes the bytes of deleted sessions whose time has come. */
  purgeDeleted(): Promise<PurgeOutcome>;
  /** The number of archived captures missing from the database; checked only for a database new to this archive. */
  countUnknownCaptures(): Promise<number>;
  /** When work becomes due without any change: idle sessions to end, files to compare. */
  dueTimes(): Promise<readonly number[]>;
  /** Releases the sessions and leases of a thread that was terminated. */
  releaseOwnClaims(): Promise<void>;
  /** The files an import would read now. */
  findChanges(): Promise<readonly ChangedFile[]>;
  /** Sets where the status reads the progress of an import that runs elsewhere, for example in a worker thread. */
  showProgressOf(progress: () => ImportProgress | null): void;
  /** Notifies live followers that the import made progress. */
  notifyProgress(): void;
  close(): Promise<void>;
}

export interface ImportOptions {
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
  /** Only sessions and messages; a later import without this option indexes the full text. */
  readonly rowsOnly?: boolean;
  /** Number of files archived in parallel. */
  readonly concurrency?: number;
  /** Threads that read and parse sessions; by default one if there is much to parse. */
  readonly threads?: number | undefined;
}

type OpenPipelineOptions = Pick<ImportOptions, 'signal' | 'threads'>;

/** Opens the configured store and archive. Errors: store_unavailable, schema_too_new, bad_config. */
export async function openApp(options: AppOptions): Promise<App> {
  const { config, clock, log, isDemo = false, isBackground = false, sqlitePath = databasePath(config.home) } = options;
  const access = openDataFolder(config.home);
  const folder = holdFolder(config.home);
  const device = loadDevice(config.home, clock, access);
  const archive = await openArchive(config, clock, folder);
  const pricing = await loadPricing(config.home);
  const ai = await openAi(config, pricing.price, log);
  // Last, because it has to be closed: an invalid configuration is found before.
  const onIdleError = ({ message }: Error) => log.warn('a database connection broke while idle', { error: message });
  const store = await openStore({ databaseUrl: config.databaseUrl, sqlitePath, onIdleError, isBackground });
  const { engine } = store;
  const isReadOnly = engine.isReadOnly || access === 'read-only';
  const opened = { config, clock, log, folder, isReadOnly, device, engine, ai, ...pricing, ...archive, sqlitePath };
  const importing = importDeps(opened);
  let progress: () => ImportProgress | null = () => null;
  const hub = createLiveHub(engine);
  const close = closer(folder, [hub, archive.blobs, store]);
  const openRedactor = async () => (await import('./outbound.ts')).openRedactor(config);
  const data: DataSource = createDataSource({
    engine: store.reader,
    blobs: archive.blobs,
    masking: importing.masking,
    clock,
    deviceId: device.id,
    hub,
    price: pricing.price,
    openRedactor,
    prices: () => loadPriceBook(config.home),
    checkUp: async (isFull) =>
      (await import('./doctor.ts')).checkUp({ config, clock, store, device, get: data.get, ...archive }, isFull),
    environment: () => environmentOf(config, isDemo),
    // Loaded only when it is asked for.
    findExpiring: async () =>
      (await import('./retention.ts')).findExpiringSessions({ config, device, engine: store.reader }, clock.now()),
    progress: () => progress(),
  });
  return {
    config,
    store,
    folder,
    device,
    masking: importing.masking,
    ...archive,
    ...data,
    openSharing: async () => ({ ...importing, now: () => clock.now(), get: data.get, redactor: await openRedactor() }),
    ...writing(importing, config),
    notifyProgress: hub.poke,
    isReadOnly,
    openPipeline: (pipeline = {}) => openPipeline(importing, pipeline),
    reportShipping: async () => (await loadShipping(config))?.reportShipping(importing) ?? null,
    countUnknownCaptures: () => countUnknownCaptures(importing),
    dueTimes: () => dueTimes(importing, config),
    releaseOwnClaims: () => releaseOwnClaims(engine),
    findChanges: async () => (await findChanges(importing)).changed,
    showProgressOf: (source) => {
      progress = source;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The folder counts as in use until everything is closed. */
function closer(folder: HeldFolder, opened: readonly { close(): Promise<void> }[]): () => Promise<void> {
  const leaveFolder = useFolder(folder);
  return async () => {
    for (const one of opened) await one.close();
    leaveFolder();
  };
}

/** Everything that writes to the data folder; fails if another folder has replaced it. */
function writing(deps: ImportDeps, config: Config) {
  const guarded = onlyIn(deps.folder);
  return {
    sweep: guarded(async () =>
      deps.isReadOnly ? undefined : (await import('./deletion/purge.ts')).sweep(deps, config),
    ),
    purgeDeleted: guarded(async () => (await import('./deletion/purge.ts')).purgeDeleted(deps)),
    importNew: guarded(async (options: ImportOptions = {}) => {
      const report = await importUnlessDone(deps, options);
      if (report.sessions_parsed > 0) await reportBudgets(deps, config);
      return report;
    }),
    drainHooks: guarded(async () => (deps.isReadOnly ? NOTHING_DRAINED : drainHooks(deps, config.home))),
    ship: guarded(
      async (signal: AbortSignal, scope?: ShipScope) =>
        (await loadShipping(config))?.shipArchive(deps, signal, scope) ?? null,
    ),
  };
}

/** Loaded only when needed. */
async function reportBudgets(deps: ImportDeps, config: Config): Promise<void> {
  if (config.budgetWebhook === null && config.budgetCommand === null) return;
  await (await import('./budget-alerts.ts')).reportBudgets(deps, config);
}

/** Loaded only if a server is configured. */
async function loadShipping({ serverUrl }: Config) {
  return serverUrl === null ? null : import('./shipping/ship.ts');
}

function onlyIn(folder: HeldFolder) {
  return <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      folder.check();
      return work(...args);
    };
}

type ImportDeps = ReturnType<typeof importDeps>;

/** The report of an import of rows without work, or null. Takes no lease, which would cost a write. */
async function reportIfUpToDate(deps: ImportDeps): Promise<ImportReport | null> {
  const changes = await findChanges(deps);
  const priced = await withPrices(deps);
  return (await isUpToDate(priced, changes, notesSince(deps))) ? nothingNew(changes) : null;
}

async function importUnlessDone(deps: ImportDeps, options: ImportOptions): Promise<ImportReport> {
  const nothing = options.rowsOnly ? await reportIfUpToDate(deps) : null;
  if (nothing !== null) return nothing;
  ensureWritable(deps.home, deps.isReadOnly);
  return withLease(deps.engine, importLease(deps.device.id), () => importNew(deps, options));
}

async function importNew(deps: ImportDeps, options: ImportOptions): Promise<ImportReport> {
  await ensureJournal(deps);
  const changes = await findChanges(deps);
  deps.folder.check();
  rememberHomes(deps.home, changes.found.roots);
  await releaseClaims(deps, deps.holder);
  const [{ openSessionGit }, { runImport }] = await Promise.all([import('./session-git.ts'), import('./import.ts')]);
  const git = await openSessionGit(deps);
  await git.collectNotes(notesSince(deps));
  const priced = await withPrices(deps);
  const { signal = never(), threads } = options;
  const starters = bulkStarters({ ...priced, ...IMPORT_DEFAULTS, signal }, threads);
  return runImport({ ...priced, ...git, ...IMPORT_DEFAULTS, ...options, signal, ...starters }, changes);
}

async function openPipeline(deps: ImportDeps, { signal = never(), threads }: OpenPipelineOptions) {
  await releaseClaims(deps, null);
  const { openSessionGit } = await import('./session-git.ts');
  const priced = await withPrices(deps);
  const starters = bulkStarters({ ...priced, ...IMPORT_DEFAULTS, signal }, threads);
  return { ...priced, ...(await openSessionGit(priced)), signal, ...starters };
}

async function releaseOwnClaims(engine: Engine): Promise<void> {
  const itself = identityOf(process.pid);
  await releaseClaimsOf(engine, itself);
  await releaseLeasesOf(engine, itself);
}

/** Releases the claims of processes that have ended. */
async function releaseClaims({ engine, home, clock }: ImportDeps, itself: string | null): Promise<void> {
  const interrupted = listInterrupted(home);
  const { boot } = identityOf(process.pid);
  await releaseDeadClaims(engine, { boot, itself, interrupted, now: clock.now().toISOString() });
  forgetInterrupted(home, interrupted);
}

function nothingNew({ found: { files, skipped, ignored } }: Changes): ImportReport {
  return { files, skipped, ignored, ...createTally(() => {}).counts() };
}

const NOTHING_DRAINED: DrainReport = { accepted: 0, duplicates: 0, rejected: 0, ignored: 0, left: 0 };

async function drainHooks(deps: ImportDeps, home: string): Promise<DrainReport> {
  const { openSpool } = await import('../capture/spool/spool.ts');
  const spool = openSpool(home, deps.clock);
  if (spool.entries().length === 0) return NOTHING_DRAINED;
  const { drainSpool } = await import('../ingest/events/drain-spool.ts');
  const { ingestMasks } = await import('./masking.ts');
  let opened: Promise<SessionGit> | null = null;
  const resolveWorkspace = async (cwd: string) => {
    opened ??= import('./session-git.ts').then(({ openSessionGit }) => openSessionGit(deps));
    return (await opened).workspaces.resolve(cwd);
  };
  return drainSpool({
    ...deps,
    spool,
    masks: ingestMasks(deps),
    resolveWorkspace,
    onTranscript: (path) => rememberHomeOf(home, path),
  });
}

/** A session may run in a Claude home that is not configured. */
function rememberHomeOf(home: string, transcriptPath: string): void {
  const claudeHome = homeOfTranscript(transcriptPath);
  if (claudeHome !== null && existsSync(claudeHome)) rememberHomes(home, [claudeHome]);
}

/** How long notes of git hooks are read again; this is idempotent. */
const NOTES_MS = HOUR_MS;

function notesSince({ clock }: { readonly clock: Clock }): string {
  return new Date(clock.now().getTime() - NOTES_MS).toISOString();
}

const IMPORT_DEFAULTS = {
  onProgress: () => {},
  rowsOnly: false,
  concurrency: FILES_AT_ONCE,
} as const;

function importDeps({ config, ...deps }: { readonly config: Config } & Opened) {
  return {
    ...deps,
    config,
    home: config.home,
    roots: () => homesToRead(config),
    masking: openMasking(config),
    liveSigns: () => liveSignsOf(config, deps.clock.now()),
    holder: JSON.stringify({ ...identityOf(process.pid), opened: Math.random() }),
    growing: rememberGrowing(),
    folderRecords: openFolderRecords(config.home, { version: VERSION, isReadOnly: deps.isReadOnly }),
    decodeFolder: (folderName: string) => decodeProjectFolder(folderName),
    ignoresProject: createIgnoreRule(config.ignore),
  };
}

/** Loaded for every import, so that a long-running process notices a changed price file. */
async function withPrices(deps: ImportDeps) {
  const pricing = await loadPricing(deps.home);
  return { ...deps, ...pricing, priceBook: await priceBookFor({ ...deps, ...pricing }) };
}

function never(): AbortSignal {
  return new AbortController().signal;
}

interface Opened extends Archive, Pricing {
  readonly sqlitePath: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly ai: AiSummaries | null;
  readonly folder: HeldFolder;
  readonly isReadOnly: boolean;
  readonly device: DeviceIdentity;
  readonly engine: Engine;
}

/** G13: if AI summaries cannot be enabled, this is logged once and everything else works. */
async function openAi(config: Config, price: Pricing['price'], log: Log): Promise<AiSummaries | null> {
  if (config.summaries !== 'ai') return null;
  const { openAiSummaries } = await import('./outbound.ts');
  try {
    return openAiSummaries(config, price);
  } catch (error) {
    if (!(error instanceof FuelError)) throw error;
    log.warn('AI summaries are disabled', { error: error.message, hint: error.hint });
    return null;
  }
}

function environmentOf(config: Config, isDemo: boolean): Environment {
  return {
    version: VERSION,
    mode: config.databaseUrl === null ? 'embedded' : 'server',
    is_demo: isDemo,
    claude_home: config.claudeHome,
    claude_home_exists: existsSync(join(config.claudeHome, 'projects')),
    claude_homes: listHomes(config),
    data_home: config.home,
  };
}

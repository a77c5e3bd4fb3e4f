import type { Checkup } from '../api/checkup.ts';
import type { DriftAnswer } from '../api/server.ts';
import { compareJournal } from '../archive/journal/compare.ts';
import { listHomes } from '../capture/homes.ts';
import { readClientVersion } from '../capture/hook/hook-events.ts';
import { SOON_DAYS } from '../capture/retention.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../domain/ports.ts';
import { freeBytes } from '../lib/private-file.ts';
import { driftSentence, formatBytes, plural, unknownCaptures } from '../reading/format.ts';
import type { Engine } from '../store/engine.ts';
import { readNewestArchived } from '../store/queries/archive/archive.ts';
import { countSessionsToIndex } from '../store/queries/claims/claims.ts';
import {
  attempt,
  type Check,
  checkClaudeHome,
  checkDataFolder,
  checkHooks,
  checkLog,
  checkQueue,
  failed,
} from './doctor-checks.ts';
import type { App } from './open-app.ts';
import { countExpiring, describeFileCounts, type RetentionReport, reportRetention } from './retention.ts';
import { readWorkerState, workerSentence } from './worker.ts';

export interface DoctorDeps {
  readonly config: Config;
  readonly clock: Clock;
  openApp(): Promise<App>;
}

/** Runs every check of this installation. */
export async function runChecks({ config, clock, openApp }: DoctorDeps): Promise<Check[]> {
  const checks = checkMachine(config, clock, await readClientVersion());
  try {
    await using app = await openApp();
    const report = await reportRetention(app, clock.now());
    return [...checks, ...(await checkStored(app)), ...(await checkContents({ ...app, clock }, report))];
  } catch (error) {
    return [...checks, failed('store', error)];
  }
}

/** Checks of this machine that need no database. */
function checkMachine(config: Config, clock: Clock, clientVersion: string | null): Check[] {
  return [
    ...listHomes(config).map(checkClaudeHome),
    checkDataFolder(config),
    checkSpace(config),
    checkLog(config, clock.now()),
    attempt('hooks', () => checkHooks(config, clock, clientVersion)),
  ];
}

/** Reads the whole database and journal. */
async function checkStored(app: Pick<App, 'store' | 'journal'>): Promise<Check[]> {
  const { engine } = app.store;
  return [
    await checkDatabase(engine),
    await checkJournal(app),
    await checkIndex(engine),
    ...(engine.supportsTextIndex ? [await checkTextIndex(engine)] : []),
  ];
}

type Opened = Pick<App, 'config' | 'get'> & { readonly clock: Clock };

async function checkContents({ config, clock, get }: Opened, report: RetentionReport): Promise<Check[]> {
  return [
    checkCaptured(report),
    checkRetention(report),
    checkLost(report),
    attempt('queue', () => checkQueue(config, clock)),
    checkDrift(await get('/drift')),
  ];
}

export type CheckupDeps = Opened & Pick<App, 'store' | 'journal' | 'device'>;

/** Reading the version of the client starts the client, so a program that keeps running does it once. */
let clientVersion: Promise<string | null> | null = null;

/** The same findings for a running program. Checks that read the whole database are skipped unless `isFull`. */
export async function checkUp(deps: CheckupDeps, isFull: boolean): Promise<Checkup> {
  const { config, clock, store } = deps;
  clientVersion ??= readClientVersion();
  const report = await reportRetention(deps, clock.now());
  const { found, archived, waiting, empty, ignored, skipped, expiring } = report;
  const { files, not_captured } = countExpiring(expiring);
  const checks = [
    ...checkMachine(config, clock, await clientVersion),
    attempt('worker', () => checkWorker(config)),
    ...(isFull ? await checkStored(deps) : []),
    ...(await checkContents(deps, report)),
  ];
  return {
    checks: checks.map(({ isDamage = false, files: own = [], ...check }) => ({
      ...check,
      is_damage: isDamage,
      files: own,
    })),
    files: { found, archived, waiting, empty, ignored, skipped: skipped.length },
    newest_archived_at: await readNewestArchived(store.engine.kysely),
    expiring: { files, not_captured, days: SOON_DAYS, next_days_left: expiring[0]?.days_left ?? null },
    is_full: isFull,
  };
}

function checkWorker({ home }: Config): Check {
  return { name: 'worker', state: 'ok', message: workerSentence(readWorkerState(home)) };
}

/** Unknown parts of transcripts are archived; this version just can't interpret them. */
function checkDrift(drift: DriftAnswer): Check {
  const isKnown = drift.known === drift.records;
  const hint = isKnown ? '' : ' Run `fuel-code drift` for details.';
  return { name: 'format', state: isKnown ? 'ok' : 'warn', message: `${driftSentence(drift)}${hint}` };
}

/** A damaged index is replaced by an empty one immediately, because it can be rebuilt from the rows. */
async function checkIndex(engine: Engine): Promise<Check> {
  const name = 'full text';
  const wasDamaged = await engine.mendSearch();
  const due = await countSessionsToIndex(engine);
  const waiting = `${plural(due, 'session is', 'sessions are')} not searchable yet; the next import adds them in the background`;
  if (wasDamaged)
    return { name, state: 'warn', message: `The search index was damaged and is created again: ${waiting}.` };
  return { name, state: 'ok', message: due > 0 ? waiting : 'all sessions are searchable' };
}

async function checkTextIndex(engine: Engine): Promise<Check> {
  const name = 'search';
  if (await engine.hasTextIndex())
    return { name, state: 'ok', message: 'the trigram index is available for pattern search' };
  const message =
    'the trigram index is missing, so pattern search is slow. The next import builds it if pg_trgm is installed; see docs/search.md.';
  return { name, state: 'warn', message };
}

const MAX_SKIPPED_SHOWN = 3;

/** Every file that was found is archived, or the reason why not is given. */
function checkCaptured(report: RetentionReport): Check {
  const { waiting, skipped } = report;
  const named = skipped.slice(0, MAX_SKIPPED_SHOWN).map(({ path, reason }) => `${path}: ${reason}`);
  const more = skipped.length > named.length ? `, and ${skipped.length - named.length} more` : '';
  const unread = skipped.length > 0 ? `; ${skipped.length} skipped (${named.join(', ')}${more})` : '';
  const help = waiting > 0 ? '; run `fuel-code backfill`' : '';
  const state = waiting > 0 || skipped.length > 0 ? 'warn' : 'ok';
  return { name: 'capture', state, message: `${describeFileCounts(report)}${unread}${help}` };
}

/** C8: what Claude Code will delete, when, and whether it is archived. */
function checkRetention({ cleanup_days, cleanup_is_set, expiring }: RetentionReport): Check {
  const uncaptured = expiring.filter((file) => !file.is_captured);
  const rule = `Claude Code deletes transcripts ${cleanup_days} days after their last change`;
  const name = 'retention';
  if (uncaptured.length > 0) {
    const message = `${rule}: ${plural(uncaptured.length, 'transcript')} not archived yet will be deleted within ${SOON_DAYS} days. Run \`fuel-code backfill\` now.`;
    return { name, state: 'bad', message, files: expiring };
  }
  const soon = expiring.length > 0 ? `; ${expiring.length} will be deleted within ${SOON_DAYS} days, all archived` : '';
  const offer = cleanup_is_set ? '' : '; run `fuel-code doctor --fix` to stop that';
  return { name, state: 'ok', message: `${rule}${soon}${offer}`, ...(expiring.length > 0 ? { files: expiring } : {}) };
}

function checkLost({ only_here, lost }: RetentionReport): Check {
  const kept = `${plural(only_here, 'session exists', 'sessions exist')} only here`;
  const before = `${plural(lost, 'was', 'were')} lost before fuel-code was installed; only their prompts remain, in history.jsonl`;
  const message = lost === 0 ? kept : `${kept}; ${before}`;
  return { name: 'rescued', state: 'ok', message };
}

const LOW_BYTES = 1024 ** 3;
const TOO_LOW_BYTES = 16 * 1024 ** 2;

export function checkSpace({ home }: Config): Check {
  const name = 'disk';
  const free = freeBytes(home);
  if (free === null) return { name, state: 'ok', message: 'free disk space is unknown' };
  const message = `${formatBytes(free)} free for ${home}`;
  if (free < TOO_LOW_BYTES) {
    return {
      name,
      state: 'bad',
      message: `only ${message}. Free some space, or nothing more can be stored.`,
      isDamage: true,
    };
  }
  return free < LOW_BYTES ? { name, state: 'warn', message: `only ${message}` } : { name, state: 'ok', message };
}

export async function checkDatabase(engine: Engine): Promise<Check> {
  const name = 'store';
  const [first, ...more] = await engine.findDamage('quick');
  if (first === undefined)
    return { name, state: 'ok', message: `${engine.name === 'sqlite' ? 'SQLite' : 'PostgreSQL'} is working` };
  const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
  const message = `The database is damaged: ${first}${rest}. Run \`fuel-code rebuild\` to create a new one from the archive.`;
  return { name, state: 'bad', message, isDamage: true };
}

/** If the database is lost, it is rebuilt from the journal. */
export async function checkJournal({ store, journal }: Pick<App, 'store' | 'journal'>): Promise<Check> {
  const name = 'archive';
  const { captures, damaged, unknown, missing, missingEvents } = await compareJournal(store.engine, journal);
  const findings = [
    ...(unknown > 0 ? [unknownCaptures(unknown)] : []),
    ...(damaged.length > 0
      ? [
          `${plural(damaged.length, 'line of the journal is', 'lines of the journal are')} damaged, first ${damaged[0]}.`,
        ]
      : []),
    ...(missing.length > 0 ? [`${plural(missing.length, 'capture')} missing from the journal.`] : []),
    ...(missingEvents.length > 0 ? [`${plural(missingEvents.length, 'hook event')} missing from the journal.`] : []),
  ];
  if (findings.length === 0) {
    return { name, state: 'ok', message: `the journal is complete (${plural(captures, 'capture')})` };
  }
  const hint = unknown > 0 ? '' : ' Run `fuel-code verify --heal` to repair it from the database.';
  return { name, state: 'bad', message: `${findings.join(' ')}${hint}`, isDamage: true };
}

import { readClientVersion } from '../../capture/hook/client-version.ts';
import { listHomes } from '../../capture/homes.ts';
import { SOON_DAYS } from '../../capture/retention.ts';
import type { Config } from '../../config.ts';
import type { DriftAnswer } from '../../api/server.ts';
import type { Clock } from '../../domain/ports.ts';
import { plural } from '../../reading/format.ts';
import { driftSentence } from '../../reading/sentences.ts';
import type { Engine } from '../../store/engine.ts';
import type { App } from '../open-app.ts';
import { fileCountWords, type RetentionReport, reportRetention } from '../retention-report.ts';
import { attempt, type Check, failed } from './check.ts';
import { checkDatabase, checkJournal, checkSpace } from './check-archive.ts';
import { checkClaudeHome, checkDataFolder, checkHooks, checkLog, checkQueue } from './check-machine.ts';

export interface DoctorDeps {
  readonly config: Config;
  readonly clock: Clock;
  openApp(): Promise<App>;
}

/** Runs every check of this installation. */
export async function examine({ config, clock, openApp }: DoctorDeps): Promise<Check[]> {
  const clientVersion = await readClientVersion();
  const checks = [
    ...listHomes(config).map(checkClaudeHome),
    checkDataFolder(config),
    checkSpace(config),
    checkLog(config, clock.now()),
    attempt('hooks', () => checkHooks(config, clock, clientVersion)),
  ];
  try {
    await using app = await openApp();
    const { engine } = app.store;
    checks.push(await checkDatabase(engine), await checkJournal(app));
    if (engine.name === 'postgres') checks.push(await checkTextIndex(engine));
    const report = await reportRetention(app, clock.now());
    checks.push(checkCaptured(report), checkRetention(report), checkLost(report));
    checks.push(attempt('queue', () => checkQueue(config, clock)));
    checks.push(checkDrift(await app.get('/drift')));
  } catch (error) {
    checks.push(failed('store', error));
  }
  return checks;
}

/** Unknown parts of transcripts are archived; this version just can't interpret them. */
function checkDrift(drift: DriftAnswer): Check {
  const isKnown = drift.known === drift.records;
  const hint = isKnown ? '' : ' fuel-code drift lists them.';
  return { name: 'format', state: isKnown ? 'ok' : 'warn', message: `${driftSentence(drift)}${hint}` };
}

async function checkTextIndex(engine: Engine): Promise<Check> {
  const name = 'search';
  if (await engine.hasTextIndex())
    return { name, state: 'ok', message: 'the trigram index is available for pattern search' };
  const message = 'pg_trgm is not installed, so pattern search is slow. See docs/search.md to install it.';
  return { name, state: 'warn', message };
}

const MAX_SKIPPED_SHOWN = 3;

/** Every file that was found is archived, or the reason why not is given. */
function checkCaptured(report: RetentionReport): Check {
  const { waiting, skipped } = report;
  const named = skipped.slice(0, MAX_SKIPPED_SHOWN).map(({ path, reason }) => `${path}: ${reason}`);
  const more = skipped.length > named.length ? `, and ${skipped.length - named.length} more` : '';
  const unread = skipped.length > 0 ? `; ${skipped.length} skipped (${named.join(', ')}${more})` : '';
  const help = waiting > 0 ? '; run fuel-code backfill' : '';
  const state = waiting > 0 || skipped.length > 0 ? 'warn' : 'ok';
  return { name: 'capture', state, message: `${fileCountWords(report)}${unread}${help}` };
}

/** C8: what Claude Code will delete, when, and whether we have it. */
function checkRetention({ cleanup_days, cleanup_is_set, expiring }: RetentionReport): Check {
  const uncaptured = expiring.filter((file) => !file.is_captured);
  const rule = `Claude Code deletes transcripts ${cleanup_days} days after their last change`;
  const name = 'retention';
  if (uncaptured.length > 0) {
    const message = `${rule}: ${plural(uncaptured.length, 'transcript')} not archived yet will be deleted within ${SOON_DAYS} days. Run fuel-code backfill now.`;
    return { name, state: 'bad', message, files: expiring };
  }
  const soon = expiring.length > 0 ? `; ${expiring.length} will be deleted within ${SOON_DAYS} days, all archived` : '';
  const offer = cleanup_is_set ? '' : '; run fuel-code doctor --fix to stop that';
  return { name, state: 'ok', message: `${rule}${soon}${offer}`, ...(expiring.length > 0 ? { files: expiring } : {}) };
}

function checkLost({ only_here, lost }: RetentionReport): Check {
  const kept = `${plural(only_here, 'session exists', 'sessions exist')} only here`;
  const before = `${plural(lost, 'was', 'were')} lost before fuel-code was installed; only their prompts remain, in history.jsonl`;
  const message = lost === 0 ? kept : `${kept}; ${before}`;
  return { name: 'rescued', state: 'ok', message };
}

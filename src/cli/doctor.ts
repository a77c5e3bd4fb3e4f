import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readClientVersion } from '../capture/hook/client-version.ts';
import { type HomeHooks, readHookStatus, settingsPath } from '../capture/hook/install.ts';
import { changeSettings, readSettings, understandably } from '../capture/hook/settings-file.ts';
import { type Expiring, KEEP_DAYS, SOON_DAYS, withCleanupDays } from '../capture/retention.ts';
import { openSpool } from '../capture/spool/spool.ts';
import { listHomes } from '../capture/homes.ts';
import type { Config } from '../config.ts';
import type { ClaudeHomeStatus } from '../domain/query.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import type { DriftAnswer } from '../domain/drift.ts';
import { LOG_START, logFolder, readLog } from '../lib/log-file.ts';
import { fitWidth, wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import { fileCountWords, type RetentionReport, reportRetention } from '../app/retention-report.ts';
import { formatAgo, plural } from '../reading/format.ts';
import type { Engine } from '../store/engine.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { checkDatabase, checkJournal, checkSpace } from './doctor-archive.ts';
import { driftSentence } from './drift.ts';
import { printJson } from './json.ts';
import { inColumns, say } from './say.ts';
import { paint } from './terminal.ts';

export const command: Command = {
  name: 'doctor',
  about: 'Check that everything fuel-code needs is in order, and say what to do where it is not.',
  options: {
    fix: { type: 'boolean', about: 'Offer to make Claude Code keep its transcripts; asks before it changes anything.' },
    yes: { type: 'boolean', needs: 'fix', about: 'With --fix: do not ask.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code doctor', 'Check this machine.'],
    ['fuel-code doctor --fix', 'Let Claude Code keep its transcripts from now on.'],
    ['fuel-code doctor --json', 'The same for a program; the exit code tells too.'],
  ],
  run: async (context, args) => {
    const checks = await examine(context);
    const { terminal } = context;
    if (args.flags.has('json')) printJson(terminal, { checks });
    else for (const check of checks) terminal.out(render(context, check));
    if (args.flags.has('fix')) await keepTranscripts(context, args);
    const bad = checks.filter(({ state }) => state === 'bad');
    const code = bad.some(({ isDamage }) => isDamage) ? 'incomplete' : 'bad_config';
    if (bad.length > 0) throw new FuelError(code, `${bad.length} of ${checks.length} checks failed.`);
  },
};

export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'bad';
  readonly message: string;
  /** Something that was kept is damaged or lost, or nothing more can be kept. */
  readonly isDamage?: boolean;
  /** What Claude Code deletes next, and when. */
  readonly files?: readonly Expiring[];
}

const MARGIN = 22;
const MIN_COLUMNS = 10;
const MAX_FILES_SHOWN = 5;

function render({ terminal }: CommandContext, { name, state, message, files = [] }: Check): string {
  const marks = { ok: ['green', 'ok  '], warn: ['yellow', 'note'], bad: ['red', 'BAD '] } as const;
  const [style, text] = marks[state];
  const columns = Math.max(MIN_COLUMNS, terminal.columns - MARGIN);
  const [first = '', ...rest] = wrapWidth(visibleLine(message), columns).split('\n');
  const lines = [
    `${paint(terminal, style, text)}  ${name.padEnd(MARGIN - 6)}${first}`,
    ...[...rest, ...fileLines(files, columns)].map((line) => ' '.repeat(MARGIN) + line),
  ];
  return `${lines.join('\n')}\n`;
}

function fileLines(files: readonly Expiring[], columns: number): string[] {
  const shown = files.slice(0, MAX_FILES_SHOWN).map(({ path, days_left, is_captured }) => {
    const facts = `${whenWords(days_left).padEnd(12)}${is_captured ? 'archived' : 'NOT YET '}  `;
    return facts + fitWidth(visibleLine(basename(path, '.jsonl')), Math.max(MIN_COLUMNS, columns - facts.length));
  });
  const more = files.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more: fuel-code doctor --json`] : shown;
}

function whenWords(days_left: number): string {
  return days_left <= 0 ? 'any time' : `in ${plural(days_left, 'day')}`;
}

async function examine(context: CommandContext): Promise<Check[]> {
  const { config } = context.loaded;
  const clientVersion = await readClientVersion();
  const checks = [
    ...listHomes(config).map(checkClaudeHome),
    checkDataFolder(config),
    checkSpace(config),
    checkLog(config, context.clock.now()),
    attempt('hooks', () => checkHooks(context, clientVersion)),
  ];
  try {
    await using app = await context.openApp();
    const { engine } = app.store;
    checks.push(await checkDatabase(engine), await checkJournal(app));
    if (engine.name === 'postgres') checks.push(await checkTextIndex(engine));
    const report = await reportRetention(app, context.clock.now());
    checks.push(checkCaptured(report), checkRetention(report), checkLost(report));
    checks.push(attempt('queue', () => checkQueue(context)));
    checks.push(checkDrift(await app.reads.drift()));
  } catch (error) {
    checks.push(failed('store', error));
  }
  return checks;
}

function attempt(name: string, check: () => Check): Check {
  try {
    return check();
  } catch (error) {
    return failed(name, error);
  }
}

function failed(name: string, error: unknown): Check {
  const { message, hint, code } = toFuelError(error);
  const isDamage = code === 'store_corrupt' || code === 'disk_full' || code.startsWith('blob_');
  return { name, state: 'bad', message: hint ? `${message} ${hint}` : message, isDamage };
}

/** Hooks are hints: without them nothing is lost, it only comes later. */
function checkHooks({ loaded, clock }: CommandContext, clientVersion: string | null): Check {
  const { home, claudeHome } = loaded.config;
  const { homes, last_fired_at, launcher } = readHookStatus({ home, claudeHome, clock }, clientVersion);
  const there = homes.filter(({ exists, same_as, path }) => (exists || path === claudeHome) && same_as === null);
  const paths = (some: readonly HomeHooks[]) => some.map(({ path }) => path).join(', ');
  const missing = there.filter(({ installed }) => !installed);
  const name = 'hooks';
  if (missing.length > 0)
    return { name, state: 'warn', message: `missing or incomplete in ${paths(missing)}: run fuel-code hooks install` };
  const disabled = there.filter((one) => one.disabled);
  if (disabled.length > 0)
    return { name, state: 'warn', message: `"disableAllHooks" is set in the settings of ${paths(disabled)}` };
  if (launcher === 'missing')
    return { name, state: 'warn', message: 'Node.js or fuel-code is not where it was: run fuel-code hooks install' };
  const fired = last_fired_at === null ? 'none has fired yet' : `one fired ${formatAgo(last_fired_at, clock.now())}`;
  return { name, state: 'ok', message: `installed; ${fired}` };
}

function checkQueue({ loaded, clock }: CommandContext): Check {
  const { home } = loaded.config;
  // Looking must not make the folder: where nothing can be written, that would be the failure.
  const isThere = existsSync(join(home, 'spool'));
  const { entries, dead_letters } = isThere ? openSpool(home, clock).stats() : { entries: 0, dead_letters: 0 };
  const waiting = `${plural(entries, 'entry', 'entries')} of the hooks to store`;
  if (dead_letters === 0) return { name: 'queue', state: 'ok', message: waiting };
  const dead = `${plural(dead_letters, 'dead letter')}: see fuel-code queue dead-letter`;
  return { name: 'queue', state: 'warn', message: `${waiting}; ${dead}` };
}

/** Unknown parts of transcripts are kept; they only are not understood yet. */
function checkDrift(drift: DriftAnswer): Check {
  const isKnown = drift.known === drift.records;
  const hint = isKnown ? '' : ' fuel-code drift lists them.';
  return { name: 'format', state: isKnown ? 'ok' : 'warn', message: `${driftSentence(drift)}${hint}` };
}

async function checkTextIndex(engine: Engine): Promise<Check> {
  const name = 'search';
  if (await engine.hasTextIndex()) return { name, state: 'ok', message: 'patterns are looked up by their trigrams' };
  const message = 'pg_trgm is missing: patterns are looked for text by text. docs/search.md tells how to add it.';
  return { name, state: 'warn', message };
}

function checkClaudeHome({ path, exists, same_as }: ClaudeHomeStatus): Check {
  const name = 'Claude home';
  if (same_as !== null) return { name, state: 'ok', message: `${path} is the same folder as ${same_as}` };
  if (exists) return { name, state: 'ok', message: path };
  const message = `${path} is not there, or has no projects folder: run Claude Code once, or set CLAUDE_CONFIG_DIR.`;
  return { name, state: 'warn', message };
}

function checkDataFolder({ home }: Config): Check {
  const name = 'data folder';
  if (!existsSync(home)) return { name, state: 'ok', message: `${home} will be made when it is needed` };
  if (!canWrite(home)) {
    const message = `${home} cannot be written, so nothing new is kept: correct its owner or its disk, or set FUEL_CODE_HOME.`;
    return { name, state: 'bad', message };
  }
  const database = join(home, 'fuel.db');
  if (existsSync(database) && !canUse(database, constants.R_OK | constants.W_OK)) {
    return { name, state: 'bad', message: `${database} cannot be written, so nothing new is kept: correct its owner.` };
  }
  const others = statSync(home).mode & 0o077;
  if (others === 0) return { name, state: 'ok', message: `${home}, readable by you only` };
  return { name, state: 'warn', message: `${home} is open to other users: chmod 700 it.` };
}

const RECENT_MS = 24 * 60 * 60_000;

/** What worker and server could not do stands there; that they cannot write it, nobody would tell. */
function checkLog({ home }: Config, now: Date): Check {
  const name = 'log';
  const folder = logFolder(home);
  const stat = existsSync(home) ? lstatSync(folder, { throwIfNoEntry: false }) : undefined;
  if (stat === undefined) return { name, state: 'ok', message: `nothing was ever written to ${folder}` };
  if (!stat.isDirectory() || !canWrite(folder)) {
    return { name, state: 'warn', message: `${folder} cannot be written: correct it, or move it away.` };
  }
  const since = new Date(now.getTime() - RECENT_MS).toISOString();
  const recent = readLog(folder, LOG_START).entries.filter(({ time }) => time >= since);
  const errors = recent.filter(({ level }) => level === 'error');
  const warnings = recent.filter(({ level }) => level === 'warn').length;
  const counts = `${folder}; errors in the last day: ${errors.length}, warnings: ${warnings}`;
  if (errors.length === 0) return { name, state: 'ok', message: counts };
  const message = `${counts}. The last error: ${errors.at(-1)?.message}. fuel-code logs --level error shows them.`;
  return { name, state: 'warn', message };
}

function canWrite(folder: string): boolean {
  return canUse(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

function canUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

const MAX_SKIPPED_SHOWN = 3;

/** Every file that was found is archived, or the reason why not is given. */
function checkCaptured(report: RetentionReport): Check {
  const { waiting, skipped } = report;
  const named = skipped.slice(0, MAX_SKIPPED_SHOWN).map(({ path, reason }) => `${path}: ${reason}`);
  const more = skipped.length > named.length ? `, and ${skipped.length - named.length} more` : '';
  const unread = skipped.length > 0 ? `; ${skipped.length} not read (${named.join(', ')}${more})` : '';
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
    const message = `${rule}: ${plural(uncaptured.length, 'that is', 'that are')} not archived yet will go within ${SOON_DAYS} days. Run fuel-code backfill now.`;
    return { name, state: 'bad', message, files: expiring };
  }
  const soon =
    expiring.length > 0 ? `; ${expiring.length} will go within ${SOON_DAYS} days, and all of that is archived` : '';
  const offer = cleanup_is_set ? '' : '; fuel-code doctor --fix can change that';
  return { name, state: 'ok', message: `${rule}${soon}${offer}`, ...(expiring.length > 0 ? { files: expiring } : {}) };
}

function checkLost({ only_here, lost }: RetentionReport): Check {
  const kept = `${plural(only_here, 'session exists', 'sessions exist')} only here`;
  const before = `${plural(lost, 'was', 'were')} lost before fuel-code came; only the prompts are left, in history.jsonl`;
  const message = lost === 0 ? kept : `${kept}; ${before}`;
  return { name: 'rescued', state: 'ok', message };
}

async function keepTranscripts(context: CommandContext, args: ParsedArguments): Promise<void> {
  const homes = listHomes(context.loaded.config).filter(({ exists, same_as }) => exists && same_as === null);
  const paths = homes.length > 0 ? homes.map(({ path }) => path) : [context.loaded.config.claudeHome];
  for (const path of paths) await keepTranscriptsOf(settingsPath(path), context, args);
}

async function keepTranscriptsOf(
  path: string,
  { terminal, clock }: CommandContext,
  args: ParsedArguments,
): Promise<void> {
  const text = readSettings(path) ?? '{}\n';
  if (understandably(path, text, () => withCleanupDays(text, KEEP_DAYS)) === text)
    return say(terminal, `Claude Code keeps its transcripts already (${path}).`);
  const question = `Set "cleanupPeriodDays": ${KEEP_DAYS} in ${visibleLine(path)}, so that Claude Code keeps its transcripts?`;
  if (!args.flags.has('yes') && !(await terminal.ask(inColumns(terminal, question))))
    return say(terminal, 'Nothing was changed.');
  changeSettings(path, clock, (now) => withCleanupDays(now ?? '{}\n', KEEP_DAYS));
  say(terminal, `${path} was changed.`);
}

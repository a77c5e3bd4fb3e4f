import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KEEP_DAYS, SOON_DAYS, withCleanupDays } from '../capture/retention.ts';
import type { Config } from '../config.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import { readTextFile, replaceFile } from '../lib/private-file.ts';
import { wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import { type RetentionReport, reportRetention } from '../retention-report.ts';
import type { Engine } from '../store/engine.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { paint } from './terminal.ts';
import { say } from './say.ts';

export const command: Command = {
  name: 'doctor',
  about: 'Check that everything fuel-code needs is in order, and say what to do where it is not.',
  options: {
    fix: { type: 'boolean', about: 'Offer to make Claude Code keep its transcripts; asks before it changes anything.' },
    yes: { type: 'boolean', about: 'With --fix: do it without asking.' },
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
    if (args.flags.has('json')) terminal.out(`${JSON.stringify(checks, null, 2)}\n`);
    else for (const check of checks) terminal.out(render(context, check));
    if (args.flags.has('fix')) await keepTranscripts(context, args);
    const bad = checks.filter(({ state }) => state === 'bad');
    if (bad.length > 0) throw new FuelError('bad_config', `${bad.length} of ${checks.length} checks failed.`);
  },
};

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'bad';
  readonly message: string;
}

const MARGIN = 22;
const MIN_COLUMNS = 10;

function render({ terminal }: CommandContext, { name, state, message }: Check): string {
  const marks = { ok: ['green', 'ok  '], warn: ['yellow', 'note'], bad: ['red', 'BAD '] } as const;
  const [style, text] = marks[state];
  const [first = '', ...rest] = wrapWidth(visibleLine(message), Math.max(MIN_COLUMNS, terminal.columns - MARGIN)).split(
    '\n',
  );
  const lines = [
    `${paint(terminal, style, text)}  ${name.padEnd(MARGIN - 6)}${first}`,
    ...rest.map((line) => ' '.repeat(MARGIN) + line),
  ];
  return `${lines.join('\n')}\n`;
}

async function examine(context: CommandContext): Promise<Check[]> {
  const { config } = context.loaded;
  const checks = [checkClaudeHome(config), checkDataFolder(config)];
  try {
    await using app = await context.openApp();
    const { engine } = app.store;
    checks.push({ name: 'store', state: 'ok', message: `${engine.name} answers` });
    if (engine.name === 'postgres') checks.push(await checkTextIndex(engine));
    const report = await reportRetention(app, context.clock.now());
    checks.push(checkCaptured(report), checkRetention(report), checkLost(report));
  } catch (error) {
    const { message, hint } = toFuelError(error);
    checks.push({ name: 'store', state: 'bad', message: hint ? `${message} ${hint}` : message });
  }
  return checks;
}

async function checkTextIndex(engine: Engine): Promise<Check> {
  const name = 'search';
  if (await engine.hasTextIndex()) return { name, state: 'ok', message: 'patterns are looked up by their trigrams' };
  const message = 'pg_trgm is missing: patterns are looked for text by text. docs/search.md tells how to add it.';
  return { name, state: 'warn', message };
}

function checkClaudeHome({ claudeHome }: Config): Check {
  const name = 'Claude home';
  if (existsSync(join(claudeHome, 'projects'))) return { name, state: 'ok', message: claudeHome };
  const message = `${claudeHome} has no projects folder: run Claude Code once, or set CLAUDE_CONFIG_DIR.`;
  return { name, state: 'warn', message };
}

function checkDataFolder({ home }: Config): Check {
  const name = 'data folder';
  if (!existsSync(home)) return { name, state: 'ok', message: `${home} will be made when it is needed` };
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return { name, state: 'bad', message: `${home} is not yours to write: correct its owner, or set FUEL_CODE_HOME.` };
  }
  const others = statSync(home).mode & 0o077;
  if (others === 0) return { name, state: 'ok', message: `${home}, readable by you only` };
  return { name, state: 'warn', message: `${home} is open to other users: chmod 700 it.` };
}

function checkCaptured({ files, waiting, skipped, ignored }: RetentionReport): Check {
  const unread = skipped.length > 0 ? `; ${skipped.length} not read (${skipped[0]?.path}: ${skipped[0]?.reason})` : '';
  const left = ignored > 0 ? `; ${ignored} left out by your rules` : '';
  const name = 'capture';
  if (waiting > 0) {
    return {
      name,
      state: 'warn',
      message: `${waiting} of ${files} files wait: run fuel-code backfill${unread}${left}`,
    };
  }
  return { name, state: unread ? 'warn' : 'ok', message: `all ${files} files are archived${unread}${left}` };
}

/** C8: what Claude Code will delete, when, and whether we have it. */
function checkRetention({ cleanup_days, cleanup_is_set, expiring }: RetentionReport): Check {
  const uncaptured = expiring.filter((file) => !file.isCaptured);
  const rule = `Claude Code deletes transcripts ${cleanup_days} days after their last change`;
  const name = 'retention';
  if (uncaptured.length > 0) {
    const next = `${uncaptured[0]?.path} in ${Math.max(0, uncaptured[0]?.daysLeft ?? 0)} days`;
    const message = `${rule}: ${uncaptured.length} that are not archived yet go within ${SOON_DAYS} days (${next}). Run fuel-code backfill now.`;
    return { name, state: 'bad', message };
  }
  const soon = expiring.length > 0 ? `; ${expiring.length} go within ${SOON_DAYS} days, all of them are archived` : '';
  const offer = cleanup_is_set ? '' : '; fuel-code doctor --fix can change that';
  return { name, state: 'ok', message: `${rule}${soon}${offer}` };
}

function checkLost({ only_here, lost }: RetentionReport): Check {
  const kept = `${only_here} sessions exist only here`;
  const message =
    lost === 0
      ? kept
      : `${kept}; ${lost} were lost before fuel-code came, only their prompts are left in history.jsonl`;
  return { name: 'rescued', state: 'ok', message };
}

async function keepTranscripts({ loaded, terminal }: CommandContext, args: ParsedArguments): Promise<void> {
  const path = join(loaded.config.claudeHome, 'settings.json');
  const before = readTextFile(path);
  const after = withCleanupDays(before, KEEP_DAYS);
  if (after === before) return say(terminal, 'Claude Code keeps its transcripts already.');
  const question = `Set "cleanupPeriodDays": ${KEEP_DAYS} in ${path}, so that Claude Code keeps its transcripts?`;
  if (!args.flags.has('yes') && !(await terminal.ask(question))) return say(terminal, 'Nothing was changed.');
  replaceFile(path, after);
  say(terminal, `${path} was changed.`);
}

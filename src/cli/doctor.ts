import { basename } from 'node:path';
import { runChecks } from '../app/doctor.ts';
import type { Check } from '../app/doctor-checks.ts';
import { type Expiring, KEEP_DAYS, keepTranscripts, readCleanupSettings } from '../app/retention.ts';
import { FuelError } from '../domain/errors.ts';
import { fitWidth, visibleLine, wrapWidth } from '../lib/terminal-text.ts';
import { plural } from '../reading/format.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson, printLine, wrapLines } from './output.ts';
import { paint } from './terminal.ts';

export const command: Command = {
  name: 'doctor',
  about: 'Check the installation for problems and suggest fixes.',
  options: {
    fix: {
      type: 'boolean',
      about: 'Offer to stop Claude Code from deleting its transcripts; asks before changing anything.',
    },
    yes: { type: 'boolean', needs: ['fix'], about: 'With --fix: do not ask for confirmation.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code doctor', 'Check this machine.'],
    ['fuel-code doctor --fix', 'Stop Claude Code from deleting its transcripts.'],
    ['fuel-code doctor --json', 'Print JSON; the exit code is non-zero if a check fails.'],
  ],
  run: async (context, args) => {
    const { loaded, clock, openApp } = context;
    const checks = await runChecks({ config: loaded.config, clock, openApp });
    const { terminal } = context;
    if (args.flags.has('json')) printJson(terminal, { checks });
    else for (const check of checks) terminal.out(render(context, check));
    if (args.flags.has('fix')) await offerToKeep(context, args);
    const bad = checks.filter(({ state }) => state === 'bad');
    const code = bad.some(({ isDamage }) => isDamage) ? 'incomplete' : 'bad_config';
    if (bad.length > 0) throw new FuelError(code, `${bad.length} of ${checks.length} checks failed.`);
  },
};

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
    const facts = `${formatDaysLeft(days_left).padEnd(12)}${is_captured ? 'archived' : 'PENDING '}  `;
    return facts + fitWidth(visibleLine(basename(path, '.jsonl')), Math.max(MIN_COLUMNS, columns - facts.length));
  });
  const more = files.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more: fuel-code doctor --json`] : shown;
}

function formatDaysLeft(days_left: number): string {
  return days_left <= 0 ? 'any time' : `in ${plural(days_left, 'day')}`;
}

async function offerToKeep({ terminal, clock, loaded }: CommandContext, args: ParsedArguments): Promise<void> {
  for (const { path, isKeepingAlready } of readCleanupSettings(loaded.config)) {
    const question = `Set "cleanupPeriodDays": ${KEEP_DAYS} in ${visibleLine(path)}, so that Claude Code stops deleting its transcripts?`;
    if (isKeepingAlready) printLine(terminal, `Claude Code already keeps its transcripts (${path}).`);
    else if (!args.flags.has('yes') && !(await terminal.ask(wrapLines(terminal, question))))
      printLine(terminal, 'Nothing was changed.');
    else {
      keepTranscripts(path, clock);
      printLine(terminal, `Updated ${path}.`);
    }
  }
}

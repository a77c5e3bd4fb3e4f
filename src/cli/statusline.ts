import {
  type StatusLineChange,
  type StatusLineInstallation,
  statusLineInstallation,
} from '../app/statusline/installation.ts';
import { FuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { STATUS_FIELDS, unknownFields } from '../reading/status-line.ts';
import { type Command, type CommandContext, INSTALL_OPTIONS, type ParsedArguments } from './command.ts';
import { confirm, printJson, printLine, wrapLines } from './output.ts';

export const command: Command = {
  name: 'statusline',
  about: 'Print a status line for Claude Code: model, context, cost, 5-hour block and budget; or install it.',
  actions: { install: '', uninstall: '', status: '' },
  options: {
    format: {
      type: 'string',
      value: 'FORMAT',
      about: `Parts separated by |, with fields such as {model}: ${Object.keys(STATUS_FIELDS).join(', ')} (default: statuslineFormat).`,
    },
    ...INSTALL_OPTIONS,
  },
  examples: [
    ['fuel-code statusline install', 'Show what would be added to the settings of Claude Code, ask, and add it.'],
    ["fuel-code config set statuslineFormat '{model} | {context} | {budget}'", 'Choose what it shows.'],
    ["echo '{}' | fuel-code statusline", 'Try it without Claude Code.'],
    ['fuel-code statusline uninstall', 'Remove it and restore the status line that was there before.'],
  ],
  run: async (context, args) => {
    const [action] = args.positionals;
    const format = readFormat(args);
    if (action === undefined) return context.printStatusLine(format);
    await ACTIONS[action as keyof typeof ACTIONS](
      statusLineInstallation(context.loaded, context.clock, format),
      context,
      args,
    );
  },
};

/** Only installing refuses a format: a status line never fails. */
function readFormat({ values, positionals }: ParsedArguments): string | null {
  const format = values.get('format') ?? null;
  const [unknown] = format === null || positionals.length === 0 ? [] : unknownFields(format);
  if (unknown === undefined) return format;
  throw new FuelError('usage', `Unknown field {${unknown}} in --format.`, {
    hint: `Valid fields: ${Object.keys(STATUS_FIELDS).join(', ')}.`,
  });
}

type Action = (
  installation: StatusLineInstallation,
  context: CommandContext,
  args: ParsedArguments,
) => void | Promise<void>;

const ACTIONS = {
  install: async (installation, context, args) => {
    const plan = installation.plan();
    const isDry = args.flags.has('dry-run');
    if (plan.changed && !isDry) await askConsent(installation, plan, context, args);
    const change = plan.changed && !isDry ? installation.install() : plan;
    if (args.flags.has('json')) return printJson(context.terminal, { ...change, dry_run: isDry });
    context.terminal.out(wrapLines(context.terminal, installedText(installation, change, isDry)));
  },
  uninstall: (installation, { terminal }, args) => {
    const change = installation.uninstall();
    if (args.flags.has('json')) return printJson(terminal, change);
    const restored = change.other === null ? '' : ' The status line that was there before is restored.';
    printLine(
      terminal,
      change.changed ? `Removed from ${change.path}.${restored}` : `Not installed in ${change.path}.`,
    );
  },
  status: (installation, { terminal }, args) => {
    const state = installation.state();
    const { path } = installation.file;
    if (args.flags.has('json')) return printJson(terminal, { path, state });
    printLine(terminal, `${STATES[state]} (${path})`);
  },
} satisfies Readonly<Record<string, Action>>;

const STATES = {
  installed: 'installed',
  outdated: 'installed with another path or format; run `fuel-code statusline install` again',
  missing: 'not installed',
  foreign: 'another status line is installed',
} as const;

async function askConsent(
  installation: StatusLineInstallation,
  { path, other }: StatusLineChange,
  { terminal }: CommandContext,
  args: ParsedArguments,
): Promise<void> {
  const text = `This sets the status line in ${visibleLine(path)}:\n${changeText(installation, other)}`;
  if (!args.flags.has('yes')) terminal.err(`${wrapLines(terminal, text)}\n`);
  await confirm(terminal, args, { question: 'Set it?', refused: 'Nothing was changed.' });
}

function changeText({ file }: StatusLineInstallation, other: string | null): string {
  const entry = visibleLine(`"statusLine": ${JSON.stringify(file.entry)}`);
  if (other === null) return entry;
  return `${entry}\nIt replaces this one, which \`fuel-code statusline uninstall\` restores:\n${visibleLine(`"statusLine": ${other}`)}`;
}

function installedText(
  installation: StatusLineInstallation,
  { path, changed, other }: StatusLineChange,
  isDry: boolean,
): string {
  const where = visibleLine(path);
  const what = !changed
    ? `Already installed in ${where}.`
    : isDry
      ? `Would set the status line in ${where}:\n${changeText(installation, other)}\nNothing was changed (--dry-run).`
      : `Installed in ${where}. Claude Code shows it after the next answer.`;
  return `${what}\nTo remove it: fuel-code statusline uninstall\n`;
}

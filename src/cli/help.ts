import { EXIT_CODES } from '../domain/errors.ts';
import { wrapWidth } from '../lib/terminal-text.ts';
import { type Command, type CommandOption, operandsOf } from './command.ts';
import { COMMAND_GROUPS, COMMANDS } from './commands.ts';

export const HELP_OPTION: CommandOption = { type: 'boolean', short: 'h', about: 'Show this help.' };

const USAGE = 'Usage: ';

/** The help page of one command. */
export function commandHelp(command: Command, columns: number): string {
  const words = ['fuel-code', command.name, operandsOf(command), '[options]'].filter((word) => word !== '');
  const usage = below(words.join(' '), USAGE.length, columns).join('\n');
  const lines = [wrapWidth(command.about, columns), '', USAGE + usage.trimStart(), '', 'Options:'];
  const options: [string, CommandOption][] = Object.entries({ ...command.options, help: HELP_OPTION });
  const left = options.map(([name, option]) => {
    const short = option.short ? `-${option.short}, ` : '';
    const value = option.value ? ` ${option.value}` : '';
    return `  ${short}--${name}${value}`;
  });
  lines.push(...options.flatMap(([, { about }], at) => inTwo(left, left[at] ?? '', about, columns)), '', 'Examples:');
  for (const [example, about] of command.examples)
    lines.push(...below(example, 2, columns), ...below(about, 6, columns));
  return `${lines.join('\n')}\n`;
}

const MIN_ABOUT_COLUMNS = 24;

/** A name with its description beside it, or below it on narrow terminals. */
function inTwo(all: readonly string[], name: string, about: string, columns: number): string[] {
  const width = Math.max(...all.map((text) => text.length)) + 2;
  if (columns - width < MIN_ABOUT_COLUMNS) return [name, ...below(about, 6, columns)];
  const [first = '', ...rest] = wrapWidth(about, columns - width).split('\n');
  return [`${name.padEnd(width)}${first}`, ...rest.map((line) => ' '.repeat(width) + line)];
}

function below(text: string, margin: number, columns: number): string[] {
  return wrapWidth(text, columns - margin)
    .split('\n')
    .map((line) => ' '.repeat(margin) + line);
}

/** `fuel-code help exit-codes`. */
export function exitCodesHelp(columns: number): string {
  const rows = Object.entries(EXIT_CODES);
  const left = rows.map(([code]) => `  ${code}`);
  const lines = rows.flatMap(([code, about]) => inTwo(left, `  ${code}`, about.replaceAll('`', ''), columns));
  return `Exit codes:\n${lines.join('\n')}\n`;
}

/** The overview of all commands, by group. */
export function overview(columns: number): string {
  const left = Object.keys(COMMANDS).map((name) => `  ${name}`);
  const paragraph = (text: string) => wrapWidth(text, columns);
  const groups = Object.entries(COMMAND_GROUPS).map(([title, members]) => {
    const lines = Object.entries(members).flatMap(([name, [about]]) => inTwo(left, `  ${name}`, about, columns));
    return [`${title}:`, ...lines].join('\n');
  });
  return `${paragraph('fuel-code archives, searches, prices and shares every Claude Code session.')}

Usage: fuel-code [command] [options]

${paragraph('Without a command, it imports new sessions and opens the web interface in your browser.')}

${groups.join('\n\n')}

${paragraph('Run `fuel-code help <command>` for options and examples, `fuel-code help exit-codes` for exit codes, `fuel-code version` for the version.')}
${paragraph('Environment: FUEL_CODE_HOME (data folder), CLAUDE_CONFIG_DIR (Claude home); `fuel-code config` lists all settings.')}
`;
}

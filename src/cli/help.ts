import { wrapWidth } from '../lib/text-width.ts';
import type { Command, CommandOption } from './command.ts';

const HELP_OPTION: CommandOption = { type: 'boolean', short: 'h', about: 'Show this.' };

/** The help page of one command. */
export function commandHelp(command: Command, columns: number): string {
  const operands = command.operands ? ` ${command.operands}` : '';
  const usage = wrapWidth(`Usage: fuel-code ${command.name}${operands} [options]`, columns);
  const lines = [wrapWidth(command.about, columns), '', usage, '', 'Options:'];
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

/** A name and, beside it where there is room, what it is. */
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

/** The overview of all commands. */
export function overview(
  commands: readonly { readonly name: string; readonly about: string }[],
  columns: number,
): string {
  const left = commands.map(({ name }) => `  ${name}`);
  const paragraph = (text: string) => wrapWidth(text, columns);
  return `${paragraph('fuel-code keeps, understands, prices, finds and shares every Claude Code session.')}

Usage: fuel-code [command] [options]

${paragraph('Without a command it imports what is new and opens the page in the browser.')}

Commands:
${commands.flatMap(({ about }, at) => inTwo(left, left[at] ?? '', about, columns)).join('\n')}

${paragraph('`fuel-code <command> --help` shows a command’s options and examples.')}
${paragraph('Environment: FUEL_CODE_HOME (data folder), CLAUDE_CONFIG_DIR (Claude home); `fuel-code config` lists all.')}
`;
}

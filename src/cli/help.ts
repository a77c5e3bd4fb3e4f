import type { Command, CommandOption } from './command.ts';

const HELP_OPTION: CommandOption = { type: 'boolean', short: 'h', about: 'Show this.' };

/** The help page of one command. */
export function commandHelp(command: Command): string {
  const operands = command.operands ? ` ${command.operands}` : '';
  const lines = [command.about, '', `Usage: fuel-code ${command.name}${operands} [options]`, '', 'Options:'];
  const options: [string, CommandOption][] = Object.entries({ ...command.options, help: HELP_OPTION });
  const left = options.map(([name, option]) => {
    const short = option.short ? `-${option.short}, ` : '';
    const value = option.value ? ` ${option.value}` : '';
    return `  ${short}--${name}${value}`;
  });
  const width = Math.max(...left.map((text) => text.length));
  options.forEach(([, { about }], at) => lines.push(`${(left[at] ?? '').padEnd(width)}  ${about}`));
  lines.push('', 'Examples:');
  for (const [example, about] of command.examples) lines.push(`  ${example}`, `      ${about}`);
  return `${lines.join('\n')}\n`;
}

/** The overview of all commands. */
export function overview(commands: readonly { readonly name: string; readonly about: string }[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `fuel-code keeps, understands, prices and finds every Claude Code session.

Usage: fuel-code [command] [options]

Without a command it imports what is new and opens the page in the browser.

Commands:
${commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}

\`fuel-code <command> --help\` shows a command's options and examples.
Environment: FUEL_CODE_HOME (data folder), CLAUDE_CONFIG_DIR (Claude home); \`fuel-code config\` lists all.
`;
}

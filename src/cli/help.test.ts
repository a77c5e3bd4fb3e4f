import { describe, expect, it } from 'vitest';
import { COMMANDS, findCommand } from './commands.ts';
import { commandHelp, overview } from './help.ts';
import { parseArguments } from './parse-arguments.ts';

const WIDTHS = [40, 80, 160];

const tooWide = (text: string, columns: number) => text.split('\n').filter((line) => line.length > columns);

describe.each(Object.keys(COMMANDS))('%s --help', (name) => {
  it('shows options and examples, within the columns of the terminal', async () => {
    const command = await findCommand(name);
    expect(parseArguments(command, ['--help'])).toBe('help');
    expect(commandHelp(command, 80)).toMatch(
      /^Usage: fuel-code .*\n[\s\S]*\nOptions:\n[\s\S]*\nExamples:\n {2}fuel-code/m,
    );
    for (const columns of WIDTHS) expect(tooWide(commandHelp(command, columns), columns)).toEqual([]);
  });
});

it('the overview fits too', () => {
  for (const columns of WIDTHS) expect(tooWide(overview(columns), columns)).toEqual([]);
});

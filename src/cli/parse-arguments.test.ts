import { describe, expect, it } from 'vitest';
import { type Command, JSON_OPTION, REMOTE_OPTIONS } from './command.ts';
import { parseArguments, splitCommand } from './parse-arguments.ts';

describe('the words of a command line', () => {
  it.each([
    ['', 'start'],
    ['sessions --json', 'sessions --json'],
    ['--json sessions', 'sessions --json'],
    ['--remote sessions --limit 3', 'sessions --remote --limit 3'],
    ['--server https://fuel.example sessions', 'sessions --server https://fuel.example'],
    ['--server=https://fuel.example --json sessions', 'sessions --server=https://fuel.example --json'],
    ['--no-import --no-pager --csv tools', 'tools --no-import --no-pager --csv'],
    ['--port 8080 --no-open', 'start --port 8080 --no-open'],
    ['--json --help', 'start --json --help'],
    ['--jsonx sessions', 'start --jsonx sessions'],
    ['--toString sessions', 'start --toString sessions'],
  ])('%j are read as %j', (line, read) => {
    expect(splitCommand(line.split(' ').filter(Boolean)).join(' ')).toBe(read);
  });

  it.each(['--json', '--server sessions'])('%j alone names no command, and that is said', (line) => {
    expect(() => splitCommand(line.split(' '))).toThrow(`fuel-code ${line} names no command.`);
  });

  it('a command that does not know a shared option says so, wherever it stood', () => {
    const command: Command = { name: 'worker', about: '', options: {}, examples: [], run: async () => {} };
    const read = (known: Command['options'], ...words: string[]) =>
      parseArguments({ ...command, options: known }, splitCommand(words).slice(1));
    expect(() => read({}, '--json', 'worker')).toThrow(/fuel-code worker: .*--json/);
    expect(() => read({}, '--remote', 'worker')).toThrow('fuel-code worker works on this machine only');
    expect(read({ json: JSON_OPTION, ...REMOTE_OPTIONS }, '--json', '--server', 'x', 'worker')).toMatchObject({
      flags: new Set(['json']),
      values: new Map([['server', 'x']]),
    });
  });
});

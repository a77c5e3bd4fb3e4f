import { describe, expect, test } from 'vitest';
import { FuelError } from '../domain/errors.ts';
import { parseArguments } from './parse-arguments.ts';
import { command } from './sessions.ts';

function refusal(words: readonly string[]): string {
  try {
    parseArguments(command, words);
  } catch (error) {
    if (error instanceof FuelError && error.code === 'usage') return `${error.message} ${error.hint}`;
    throw error;
  }
  throw new Error('it was to be refused');
}

describe('options that do not fit are refused in our own words', () => {
  const help = '`fuel-code sessions --help` shows what it takes.';
  test.each([
    [['--frob'], `fuel-code sessions has no option --frob. ${help}`],
    [['--workspce', 'x'], `fuel-code sessions has no option --workspce. Did you mean --workspace? ${help}`],
    [['-z'], `fuel-code sessions has no option -z. ${help}`],
    [['--limit'], `fuel-code sessions: --limit needs a value. ${help}`],
    [['-n'], `fuel-code sessions: --limit needs a value. ${help}`],
    [
      ['--limit', '-3'],
      `fuel-code sessions: --limit needs a value. One that begins with a dash is written --limit=-… . ${help}`,
    ],
    [['--json=1'], `fuel-code sessions: --json takes no value. ${help}`],
    // Finding 6.8: an option that would silently do nothing.
    [['--all', '-n', '3'], `--all and --limit exclude each other. ${help}`],
    [['more'], `fuel-code sessions does not know what to do with "more". ${help}`],
  ])('%j', (words, told) => {
    expect(refusal(words)).toBe(told);
  });
});

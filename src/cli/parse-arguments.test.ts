import { describe, expect, test } from 'vitest';
import { FuelError } from '../domain/errors.ts';
import type { Command } from './command.ts';
import { parseArguments } from './parse-arguments.ts';
import { command as sessions } from './sessions.ts';
import { command as status } from './status.ts';

function refusal(words: readonly string[], command: Command = sessions): string {
  try {
    parseArguments(command, words);
  } catch (error) {
    if (error instanceof FuelError && error.code === 'usage') return `${error.message} ${error.hint}`;
    throw error;
  }
  throw new Error('expected a usage error');
}

describe('rejects invalid options and arguments', () => {
  const help = 'Run `fuel-code help sessions` for usage.';
  test.each([
    [['--frob'], `Unknown option --frob for fuel-code sessions. ${help}`],
    [['--workspce', 'x'], `Unknown option --workspce for fuel-code sessions. Did you mean --workspace? ${help}`],
    [['-z'], `Unknown option -z for fuel-code sessions. ${help}`],
    [
      ['cost>1', '-is:pinned'],
      `Unknown option -i for fuel-code sessions. To exclude something, put the query after --. ${help}`,
    ],
    [['--limit'], `Option --limit of fuel-code sessions requires a value. ${help}`],
    [['-n'], `Option --limit of fuel-code sessions requires a value. ${help}`],
    [
      ['--limit', '-3'],
      `Option --limit of fuel-code sessions requires a value. If the value starts with a dash, write --limit=-N. ${help}`,
    ],
    [
      ['-n', '-3'],
      `Option -n of fuel-code sessions requires a value. If the value starts with a dash, write --limit=-N. ${help}`,
    ],
    [['--json=1'], `Option --json of fuel-code sessions does not take a value. ${help}`],
    // An option that would silently have no effect.
    [['--all', '-n', '3'], `--all and --limit cannot be combined. ${help}`],
  ])('%j', (words, message) => {
    expect(refusal(words)).toBe(message);
  });

  test('an argument for a command without any', () => {
    const words = 'Unexpected argument "more" for fuel-code status. Run `fuel-code help status` for usage.';
    expect(refusal(['more'], status)).toBe(words);
  });
});

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { FuelError } from '../domain/errors.ts';
import { didYouMean } from '../lib/nearest.ts';
import { type Command, operandsOf, type ParsedArguments, SHARED_OPTIONS } from './command.ts';

const HELP = { type: 'boolean', short: 'h' } as const;

/** The command name and the remaining arguments; shared options may precede the name. Errors: usage. */
export function splitCommand(argv: readonly string[]): readonly [name: string, ...rest: string[]] {
  const at = skipShared(argv);
  const name = argv[at];
  if (at > 0 && name === undefined) {
    throw new FuelError('usage', `\`fuel-code ${argv.join(' ')}\` does not name a command.`, {
      hint: 'Add a command, for example sessions; `fuel-code help` lists them.',
    });
  }
  if (name === undefined || name.startsWith('-')) return ['start', ...argv];
  return [name, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

function skipShared(argv: readonly string[]): number {
  let at = 0;
  for (;;) {
    const [, name = '', value] = /^--([^=]+)(=.*)?$/s.exec(argv[at] ?? '') ?? [];
    const option = Object.hasOwn(SHARED_OPTIONS, name) ? SHARED_OPTIONS[name] : undefined;
    if (option === undefined) return at;
    at += option.type === 'string' && value === undefined ? 2 : 1;
  }
}

/** Parses the arguments after the name of a command. Errors: usage, naming the invalid argument. */
export function parseArguments(command: Command, argv: readonly string[]): ParsedArguments | 'help' {
  const { values, positionals } = parseOptions(command, argv);
  if (values.help === true) return 'help';
  checkOperands(command, positionals);
  checkCombination(command, values, positionals[0]);
  const entries = Object.entries(values as Record<string, string | boolean>);
  return {
    positionals,
    flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
    values: new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  };
}

function parseOptions(command: Command, argv: readonly string[]) {
  if (argv.some(isRemoteWord) && !Object.hasOwn(command.options, 'remote')) {
    throw new FuelError(
      'usage',
      `\`fuel-code ${command.name}\` only works on this machine and cannot query a server.`,
      {
        hint: 'Remove --remote and --server, or run it on the server.',
      },
    );
  }
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short }]) => [name, short ? { type, short } : { type }]),
  );
  try {
    return parseArgs({ args: [...argv], options: { ...options, help: HELP }, allowPositionals: true, strict: true });
  } catch (error) {
    throw misread(command, argv, error as Error);
  }
}

/** Rewrites an error of Node's parser, whose message quotes the option. */
function misread(command: Command, argv: readonly string[], { message }: Error): FuelError {
  const option = /'(?:-\w, )?(--?[^\s'=]+)/.exec(message)?.[1] ?? '';
  if (message.startsWith('Unknown option')) {
    const meant = didYouMean(option.replace(/^-+/, ''), Object.keys(command.options), (name) => `--${name}`);
    const isExcluding = /query/.test(command.operands ?? '') && argv.some((word) => /^-\p{L}{2}/u.test(word));
    const exclude = isExcluding ? 'To exclude something, put the query after --. ' : '';
    const hint = meant + exclude + helpHint(command);
    return new FuelError('usage', `Unknown option ${option} for fuel-code ${command.name}.`, { hint });
  }
  const { long, value } = longForm(command, option);
  const takes = message.includes('does not take an argument') ? 'does not take a value' : 'requires a value';
  const dash = message.includes('ambiguous') ? `If the value starts with a dash, write ${long}=-${value}. ` : '';
  return new FuelError('usage', `Option ${option} of fuel-code ${command.name} ${takes}.`, {
    hint: dash + helpHint(command),
  });
}

/** Only the long form of an option accepts a value after an equals sign. */
function longForm(command: Command, option: string): { readonly long: string; readonly value: string } {
  const found = Object.entries(command.options).find(([name, { short }]) =>
    [`--${name}`, `-${short}`].includes(option),
  );
  return { long: found === undefined ? option : `--${found[0]}`, value: found?.[1].value ?? 'VALUE' };
}

/** `--remote` or `--server URL` as on the command line, to repeat in another command; '' for this machine. */
export function serverWords(argv: readonly string[]): string {
  const at = argv.findIndex(isRemoteWord);
  return at < 0 ? '' : argv.slice(at, at + (argv[at] === '--server' ? 2 : 1)).join(' ');
}

function isRemoteWord(word: string): boolean {
  return /^--(?:remote|server)(?:=|$)/.test(word);
}

function checkOperands(command: Command, positionals: readonly string[]): void {
  const { action, operands, min, max } = expectedOperands(command, positionals[0]);
  const name = `fuel-code ${command.name}${action}`;
  const hint = helpHint(command);
  if (positionals.length < min) throw new FuelError('usage', `Missing argument for ${name}: ${operands}.`, { hint });
  const extra = positionals[max];
  if (extra === undefined) return;
  throw new FuelError('usage', `Unexpected argument ${JSON.stringify(extra)} for ${name}.`, { hint });
}

/** Errors: usage for an unknown action. */
function expectedOperands(command: Command, first: string | undefined) {
  const { name, actions, minOperands = 0, maxOperands = 0 } = command;
  if (actions === undefined || first === undefined) {
    return { action: '', operands: operandsOf(command), min: minOperands, max: maxOperands };
  }
  const operands = Object.hasOwn(actions, first) ? actions[first] : undefined;
  if (operands === undefined) {
    const known = Object.keys(actions);
    throw new FuelError('usage', `Unknown action ${JSON.stringify(first)} for fuel-code ${name}.`, {
      hint: `${didYouMean(first, known)}Valid actions: ${known.join(', ')}.`,
    });
  }
  const words = operands.split(' ').filter((word) => word !== '');
  const needed = words.filter((word) => !word.startsWith('['));
  return { action: ` ${first}`, operands, min: 1 + needed.length, max: 1 + words.length };
}

/** An option without a value, as from an unset variable in a script, or without effect is an error. */
function checkCombination(command: Command, values: Readonly<Record<string, unknown>>, action = ''): void {
  const hint = helpHint(command);
  for (const [name, { actions, needs, excludes = [] }] of Object.entries(command.options)) {
    if (values[name] === undefined) continue;
    if (values[name] === '') {
      throw new FuelError('usage', `Option --${name} of fuel-code ${command.name} requires a value.`, { hint });
    }
    if (actions?.includes(action) === false) {
      const uses = actions.map((each) => `\`${`fuel-code ${command.name} ${each}`.trimEnd()}\``);
      throw new FuelError('usage', `--${name} only applies to ${joinWords(uses, 'and')}.`, { hint });
    }
    if (needs?.every((each) => values[each] === undefined) === true) {
      const options = needs.map((each) => `--${each}`);
      throw new FuelError('usage', `--${name} requires ${joinWords(options, 'or')}.`, { hint });
    }
    const other = excludes.find((each) => values[each] !== undefined);
    if (other !== undefined) throw new FuelError('usage', `--${name} and --${other} cannot be combined.`, { hint });
  }
}

function joinWords(words: readonly string[], link: 'and' | 'or'): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(` ${link} `);
}

function helpHint({ name }: Command): string {
  return `Run \`fuel-code help ${name}\` for usage.`;
}

/** Reads an option as an integer within a range. Errors: usage. */
export function readNumber(
  args: ParsedArguments,
  name: string,
  range: { min: number; max: number; otherwise: number },
): number {
  const text = args.values.get(name);
  if (text === undefined) return range.otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= range.min && value <= range.max) return value;
  throw new FuelError(
    'usage',
    `--${name} must be a number from ${range.min} to ${range.max}, not ${JSON.stringify(text)}.`,
  );
}

/** Reads an option as one of a list of values. Errors: usage. */
export function readChoice<T extends string>(
  { values }: ParsedArguments,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = values.get(name);
  const choice = choices.find((each) => each === text);
  if (text === undefined || choice !== undefined) return choice;
  throw new FuelError('usage', `Unknown value ${JSON.stringify(text)} for --${name}.`, {
    hint: `${didYouMean(text, choices)}Valid values: ${choices.join(', ')}.`,
  });
}

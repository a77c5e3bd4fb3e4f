import process from 'node:process';
import { type Emitted, emitEvent } from '../app/emit.ts';
import { DAY_MS } from '../domain/durations.ts';
import { FuelError } from '../domain/errors.ts';
import { EVENT_TYPE_PATTERN, isScriptType, MAX_EVENT_DATA_BYTES } from '../domain/event.ts';
import { isJsonObject } from '../domain/json.ts';
import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import { startOfDate } from '../lib/dates.ts';
import { formatBytes } from '../reading/format.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson, printLine, printNote } from './output.ts';

const MAX_KEY_CHARS = 200;
const MAX_FIELDS = 100;

export const command: Command = {
  name: 'emit',
  about: 'Record a custom event, such as a deployment or a test run.',
  operands: '<type> [name=text | name:=json …]',
  minOperands: 1,
  maxOperands: 1 + MAX_FIELDS,
  options: {
    session: { type: 'string', short: 's', value: 'ID', about: 'The session it belongs to, by id or id prefix.' },
    workspace: {
      type: 'string',
      short: 'w',
      value: 'NAME',
      excludes: ['session'],
      about: 'The workspace it belongs to (default: that of the session or of the current folder).',
    },
    data: { type: 'string', value: 'JSON', about: 'Data as a JSON object; - reads it from standard input.' },
    time: {
      type: 'string',
      value: 'TIME',
      about: 'When it happened, for example 2026-11-15T09:30:00Z (default: now).',
    },
    id: { type: 'string', value: 'KEY', about: 'Any text; a second event with the same key is not stored.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code emit deploy env=production build:=482', 'Record a deployment in the workspace of this folder.'],
    ['fuel-code emit ci.failed --id "$CI_JOB_ID" --data - < result.json', 'Once per job, with data from a file.'],
    ['fuel-code emit review --session 3f2a91c0 verdict=approved', 'Attach an event to a session.'],
    ['fuel-code events --scripts', 'List what scripts have recorded.'],
  ],
  run: async (context, args) => {
    const { clock, loaded, signal, terminal } = context;
    const [type = '', ...pairs] = args.positionals;
    checkType(type);
    const request = {
      type,
      at: readTime(args, clock.now()),
      session: args.values.get('session') ?? null,
      workspace: args.values.get('workspace') ?? null,
      folder: process.cwd(),
      key: readKey(args),
      data: await readData(context, args, pairs),
    };
    const deps = { config: loaded.config, clock, signal, openApp: context.openApp };
    const emitted = await emitEvent(deps, request);
    if (args.flags.has('json')) printJson(terminal, emitted);
    else printLine(terminal, sentenceOf(emitted));
    if (emitted.status === 'queued') {
      printNote(terminal, 'The database cannot be reached or is busy; the next import stores the event.');
    }
  },
};

function sentenceOf({ status, type, id }: Emitted): string {
  if (status === 'duplicate') return `An event with this key is already stored: ${id}.`;
  return `${status === 'stored' ? 'Recorded' : 'Queued'} ${type} ${id}.`;
}

function checkType(type: string): void {
  if (!EVENT_TYPE_PATTERN.test(type)) {
    throw new FuelError('usage', `Invalid event type ${JSON.stringify(type)}.`, {
      hint: 'A type starts with a letter and has up to 128 letters, digits, dots, dashes and underscores, for example deploy or ci.failed.',
    });
  }
  if (isScriptType(type)) return;
  throw new FuelError('usage', `The type ${JSON.stringify(type)} is reserved for hooks.`, {
    hint: 'Choose a type that does not start with session, subagent, team, skill, worktree or hook.',
  });
}

/** Clocks of other machines may be ahead a little. */
const MAX_AHEAD_MS = DAY_MS;

function readTime({ values }: ParsedArguments, now: Date): Date {
  const given = values.get('time');
  if (given === undefined) return now;
  const at = new Date(startOfDate(given, { now, name: '--time' }));
  if (at.getTime() <= now.getTime() + MAX_AHEAD_MS) return at;
  throw new FuelError('usage', `--time ${JSON.stringify(given)} is in the future.`);
}

function readKey({ values }: ParsedArguments): string | null {
  const key = values.get('id');
  if (key === undefined) return null;
  if (key.trim() !== '' && key.length <= MAX_KEY_CHARS) return key;
  throw new FuelError('usage', `--id must have 1 to ${MAX_KEY_CHARS} characters.`);
}

/** The data of --data and of the arguments, which take precedence. Errors: usage, too_large. */
async function readData(
  context: CommandContext,
  { values }: ParsedArguments,
  pairs: readonly string[],
): Promise<JsonObject> {
  const given = values.get('data');
  const text = given === '-' ? await readInput(context) : given;
  const data = { ...(text === undefined ? {} : parseObject(text)), ...Object.fromEntries(pairs.map(readPair)) };
  if (Object.hasOwn(data, 'session_id')) {
    throw new FuelError('usage', 'The data must not have a field session_id.', { hint: 'Use --session.' });
  }
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes <= MAX_EVENT_DATA_BYTES) return data;
  throw tooLarge(formatBytes(bytes));
}

function tooLarge(size: string): FuelError {
  return new FuelError(
    'too_large',
    `The data has ${size}; an event holds up to ${formatBytes(MAX_EVENT_DATA_BYTES)}.`,
    {
      hint: 'Store the data in a file and record its path.',
    },
  );
}

async function readInput({ readInput }: CommandContext): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of readInput()) {
    parts.push(part);
    bytes += part.length;
    // White space does not count towards the limit, but is limited as well.
    if (bytes > 2 * MAX_EVENT_DATA_BYTES) throw tooLarge(`more than ${formatBytes(2 * MAX_EVENT_DATA_BYTES)}`);
  }
  return Buffer.concat(parts).toString();
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text, 'The data');
  if (isJsonObject(value)) return value;
  throw new FuelError('usage', 'The data must be a JSON object.', {
    hint: 'For example --data \'{"env":"production"}\'.',
  });
}

function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new FuelError('usage', `${what} is not JSON: ${(cause as Error).message}.`, {
      hint: 'Quote it for your shell, or pass it on standard input with --data -.',
      cause,
    });
  }
}

/** `name=text` and `name:=json`. */
function readPair(pair: string): readonly [string, JsonValue] {
  const [, name = '', isJson, value = ''] = /^([^=:]+)(:)?=(.*)$/s.exec(pair) ?? [];
  if (name === '') {
    throw new FuelError('usage', `Invalid argument ${JSON.stringify(pair)}.`, {
      hint: 'Write name=text, or name:=json for numbers, lists and objects.',
    });
  }
  return [name, isJson === undefined ? value : parseJson(value, `The value of ${name}`)];
}

import type { SessionFilters } from '../api/sessions.ts';
import { createCalendar, systemTimezone } from '../domain/calendar.ts';
import { FuelError } from '../domain/errors.ts';
import { HAS_WORDS, type HasWord } from '../domain/session-words.ts';
import { LIFECYCLES, type Lifecycle } from '../domain/session.ts';
import { DATE_FORMS, endOfDate, startOfDate } from '../lib/dates.ts';
import type { CommandOption, ParsedArguments } from './command.ts';

/** Where and when. */
export const PLACE_OPTIONS = {
  workspace: {
    type: 'string',
    short: 'w',
    value: 'NAME',
    about: 'Only sessions in this workspace (name, id or remote).',
  },
  device: { type: 'string', short: 'd', value: 'NAME', about: 'Only sessions from this device (name or id).' },
  today: { type: 'boolean', excludes: ['since', 'until'], about: 'Today only.' },
  since: { type: 'string', value: 'DATE', about: `First date: ${DATE_FORMS}.` },
  until: { type: 'string', value: 'DATE', about: 'Last date (inclusive), in the same format.' },
  timezone: {
    type: 'string',
    value: 'ZONE',
    about: 'Time zone of days, for example Europe/Berlin (default: the system’s).',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;
/** All that sessions can be told apart by. */
export const FILTER_OPTIONS = {
  ...PLACE_OPTIONS,
  live: { type: 'boolean', about: 'Only running sessions.' },
  lifecycle: {
    type: 'string',
    value: 'STATES',
    about: `Only sessions in these states, comma-separated: ${LIFECYCLES.join(', ')}.`,
  },
  tag: { type: 'string', short: 't', value: 'TAG', about: 'Only sessions with this tag.' },
  branch: { type: 'string', short: 'b', value: 'NAME', about: 'Only sessions on this git branch.' },
  model: {
    type: 'string',
    short: 'm',
    value: 'NAME',
    about: 'Only sessions that used a model whose name starts with NAME.',
  },
  speed: { type: 'string', value: 'NAME', about: 'Only sessions that used this API speed, for example fast.' },
  tier: { type: 'string', value: 'NAME', about: 'Only sessions that used this API service tier.' },
  title: { type: 'string', value: 'TEXT', about: 'Only sessions whose title contains this text.' },
  has: {
    type: 'string',
    value: 'THINGS',
    about: `Only sessions with all of these, comma-separated: ${HAS_WORDS.join(', ')}.`,
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** Where and when; places stay in the words that were given. Errors: usage. */
export function readPlace(args: ParsedArguments, now: Date) {
  const workspace = args.values.get('workspace');
  const device = args.values.get('device');
  return {
    ...readTimeRange(args, now),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
    ...(device === undefined ? {} : { device_id: device }),
  };
}

/** Errors: usage. */
export function readFilter(args: ParsedArguments, now: Date): SessionFilters {
  const place = readPlace(args, now);
  const lifecycle = args.values.get('lifecycle');
  const has = args.values.get('has');
  const texts = (['tag', 'branch', 'model', 'speed', 'tier', 'title'] as const).flatMap((name) => {
    const text = args.values.get(name);
    return text === undefined ? [] : [[name, text]];
  });
  return {
    ...place,
    ...Object.fromEntries(texts),
    ...(args.flags.has('live') ? { is: ['live'] as const } : {}),
    ...(lifecycle === undefined ? {} : { lifecycle: readWords<Lifecycle>(lifecycle, LIFECYCLES, '--lifecycle') }),
    ...(has === undefined ? {} : { has: readWords<HasWord>(has, HAS_WORDS, '--has') }),
  };
}

function readWords<W extends string>(text: string, known: readonly W[], option: string): readonly W[] {
  return text.split(',').map((given) => {
    const word = known.find((candidate) => candidate === given.trim());
    if (word !== undefined) return word;
    throw new FuelError('usage', `Unknown value ${JSON.stringify(given)} for ${option}.`, {
      hint: `Valid values: ${known.join(', ')}.`,
    });
  });
}

export const SESSION_OPTION: CommandOption = {
  type: 'string',
  short: 's',
  value: 'ID',
  about: 'Only this session (id or prefix).',
};

export function readOneSession({ values }: ParsedArguments): { readonly session_id?: string } {
  const id = values.get('session');
  return id === undefined ? {} : { session_id: id };
}

/** Sessions that started in the given period; days in it are whole days. Errors: usage. */
export function readTimeRange({ flags, values }: ParsedArguments, now: Date): TimeRange {
  const zone = values.get('timezone');
  if (zone !== undefined) createCalendar(zone);
  const today = flags.has('today') ? 'today' : undefined;
  const [since, until] = [values.get('since') ?? today, values.get('until') ?? today];
  const after = since === undefined ? null : startOfDate(since, { now, zone, name: '--since' });
  const before = until === undefined ? null : endOfDate(until, { now, zone, name: '--until' });
  if (after !== null && before !== null && after >= before) {
    throw new FuelError('usage', `The start date ${since} is after the end date ${until}.`, {
      hint: 'Both dates are inclusive.',
    });
  }
  return { ...(after === null ? {} : { after }), ...(before === null ? {} : { before }) };
}

export interface TimeRange {
  readonly after?: string;
  readonly before?: string;
}

/** The zone of days. */
export function readTimezone({ values }: ParsedArguments): string {
  return values.get('timezone') ?? systemTimezone();
}

import type { SessionFilters } from '../api/sessions.ts';
import { checkFilters } from '../app/read-query.ts';
import { FuelError } from '../domain/errors.ts';
import { FIELDS, type Field } from '../domain/session-fields.ts';
import { createCalendar, systemTimezone } from '../lib/calendar.ts';
import { DATE_FORMS, endOfDate, startOfDate } from '../lib/dates.ts';
import type { CommandOption, ParsedArguments } from './command.ts';
import { isRemote } from './source.ts';

/** Options for a time range. */
export const TIME_OPTIONS = {
  today: { type: 'boolean', excludes: ['since', 'until'], about: 'Today only.' },
  since: { type: 'string', value: 'DATE', about: `First date: ${DATE_FORMS}.` },
  until: { type: 'string', value: 'DATE', about: 'Last date (inclusive), in the same format.' },
  timezone: {
    type: 'string',
    value: 'ZONE',
    about: 'Time zone for days, for example Europe/Berlin (default: system time zone).',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** Fields of the search language as options: `--model opus` is `model:opus`. */
const FIELD_OPTIONS: Readonly<Record<string, CommandOption>> = Object.fromEntries(
  Object.entries<Field>(FIELDS).flatMap(([name, { option, about, values }]) =>
    option === undefined ? [] : [[name, { type: 'string', ...option, ...describe(option.about ?? about, values) }]],
  ),
);

function describe(about: string, values: Field['values']): Pick<CommandOption, 'about' | 'values'> {
  if (values === undefined) return { about };
  const names = Object.keys(values);
  return { about: `${about} Values (comma-separated): ${names.join(', ')}.`, values: names };
}

/** All session filters except a query. */
export const FILTER_OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...FIELD_OPTIONS,
  ...TIME_OPTIONS,
  live: { type: 'boolean', about: 'Same as --is live.' },
};

/** A query option for commands whose operands mean something else. */
export const QUERY_OPTION: CommandOption = {
  type: 'string',
  short: 'q',
  value: 'QUERY',
  about: 'Fields in the search language, for example "cost>1 -is:pinned" (see docs/search.md).',
};

/** The filters of a command line, validated before anything is opened. Errors: usage, bad_query. */
export function readFilter(args: ParsedArguments, now: Date, operands: readonly string[] = []): SessionFilters {
  const { values } = args;
  const names = Object.keys(FIELD_OPTIONS).filter((name) => values.has(name));
  const is = [values.get('is'), args.flags.has('live') ? 'live' : undefined].filter((value) => value !== undefined);
  const q = [values.get('query') ?? [], operands].flat().join(' ').trim();
  const filters: SessionFilters = {
    ...Object.fromEntries(names.map((name) => [name, values.get(name)])),
    ...(is.length === 0 ? {} : { is: is.join(',') }),
    ...readTimeRange(args, now),
    ...(q === '' ? {} : { q, ...readQueryZone(args) }),
  };
  checkFilters(filters, { now, label: (name) => `--${name}` });
  return filters;
}

/** A server does not know the time zone of this machine, so it is sent along. */
export function readQueryZone(args: ParsedArguments): { readonly zone?: string } {
  const zone = args.values.get('timezone') ?? (isRemote(args) ? systemTimezone() : undefined);
  return zone === undefined ? {} : { zone };
}

/** Only the full-text index knows the type of a text. */
export function needsIndex(filters: SessionFilters, now: Date): boolean {
  return checkFilters(filters, { now }).some(({ field }) => field === 'type');
}

export const SESSION_OPTION: CommandOption = {
  type: 'string',
  short: 's',
  value: 'ID',
  about: 'One session, by id or id prefix.',
};

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

interface TimeRange {
  readonly after?: string;
  readonly before?: string;
}

/** The time zone that days refer to. Errors: usage. */
export function readTimezone({ values }: ParsedArguments): string {
  return createCalendar(values.get('timezone') ?? systemTimezone()).timezone;
}

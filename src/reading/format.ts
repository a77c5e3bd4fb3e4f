import type { DriftAnswer } from '../api/server.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/durations.ts';
import { UNDATED } from '../domain/session.ts';
import { dollars } from '../domain/usage.ts';

/** Shown for unknown values. */
export const NOTHING = '–';

/** 1,234,567. Written by hand because loading the locale data takes longer than a short command. */
export function formatCount(value: number | null): string {
  return value === null ? NOTHING : groupThousands(String(value));
}

function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** 1 file, 2 files. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** 950, 9.5k, 950k, 1.2M: short enough for a column. */
export function formatCompact(count: number | null): string {
  if (count === null) return NOTHING;
  if (count < 1_000) return String(count);
  const [value, unit] =
    count < 999_950 ? [count / 1e3, 'k'] : count < 999_950_000 ? [count / 1e6, 'M'] : [count / 1e9, 'B'];
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)}${unit}`;
}

/** `1 token`, `9.5k tokens`. */
export function compactPlural(count: number, one: string): string {
  return `${formatCompact(count)} ${count === 1 ? one : `${one}s`}`;
}

/** The same for round numbers, without a decimal that says nothing: `200k`, `50k`, `1M`. */
export function formatRound(count: number): string {
  return formatCompact(count).replace(/\.0(?=[kMB]$)/, '');
}

/** `12 (3%)` of all; a dash for none. */
export function formatShare(some: number, all: number): string {
  if (some === 0) return NOTHING;
  return `${formatCompact(some)} (${formatPercent(some, all)})`;
}

/** `3%` of all; `<1%` for little, and `0%` only for nothing. */
export function formatPercent(some: number, all: number): string {
  if (some === 0 || all === 0) return '0%';
  const percent = Math.round((some / all) * 100);
  return `${percent === 0 ? '<1' : percent}%`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Smaller amounts would not fit into a column with two significant digits. */
const MIN_DOLLARS = 0.000_001;

/**
 * Dollars with cents; smaller amounts with two significant digits. An incomplete cost is marked, never shown as a plain
 * total.
 */
export function formatCost(amount: number | null, unknownModels: readonly string[] = []): string {
  if (amount === null) return unknownModels.length > 0 ? 'unknown' : NOTHING;
  const text = formatDollars(amount);
  return unknownModels.length > 0 ? `${text}+?` : text;
}

/** The same for nano-dollars, the unit of sums. */
export function formatNanos(nanos: number | null, unknownModels: readonly string[] = []): string {
  return formatCost(nanos === null ? null : dollars(nanos), unknownModels);
}

function formatDollars(amount: number): string {
  if (amount > 0 && amount < MIN_DOLLARS) return `<$${MIN_DOLLARS.toFixed(6)}`;
  if (amount > 0 && amount < 0.01) return `$${amount.toPrecision(2)}`;
  const [whole = '', cents = ''] = amount.toFixed(2).split('.');
  return `$${groupThousands(whole)}.${cents}`;
}

/** 42s, 13m, 1h 05m, 2d 3h. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return NOTHING;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${twoDigits(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${hours % 24 === 0 ? '' : ` ${hours % 24}h`}`;
}

/** 120ms, 2.3s, 42s, 13m: for times that are often shorter than a second. */
export function formatElapsed(ms: number | null): string {
  if (ms === null || ms >= 9_950) return formatDuration(ms);
  return ms < 1_000 ? `${ms}ms` : `${(ms / 1_000).toFixed(1)}s`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

// Dates and times are local unless a time zone is given.

/** `2026-11-15 09:30`. */
export function formatTime(iso: string | null, zone?: string): string {
  if (iso === null) return '';
  if (iso === UNDATED) return 'undated';
  const text = dateText(iso, zone);
  return text === null ? '' : text.slice(0, 'yyyy-mm-dd hh:mm'.length);
}

/** `2026-11-15`. */
export function formatDate(iso: string, zone?: string): string {
  if (iso === UNDATED) return 'undated';
  return dateText(iso, zone)?.slice(0, 'yyyy-mm-dd'.length) ?? '';
}

/** `09:30`. */
export function formatClock(iso: string | null, zone?: string): string {
  if (iso === UNDATED) return '';
  return dateText(iso ?? '', zone)?.slice(11, 16) ?? '';
}

/** `09:30:05`. */
export function formatClockSeconds(iso: string): string {
  return dateText(iso)?.slice(11) ?? '';
}

/** `2026-11-15 09:30:05`; null for an invalid date. */
function dateText(iso: string, zone?: string): string | null {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return null;
  if (zone === undefined) {
    const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
    const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
    return `${day} ${clock}`;
  }
  if (zone === 'UTC') return date.toISOString().slice(0, 19).replace('T', ' ');
  // The Swedish date format matches ISO 8601.
  return date.toLocaleString('sv', { timeZone: zone });
}

export function formatAgo(iso: string, now: Date): string {
  if (iso === UNDATED) return 'undated';
  const ms = now.getTime() - Date.parse(iso);
  if (ms >= 0 && ms < DAY_MS) return formatRecent(ms);
  if (ms >= 0 && ms < 14 * DAY_MS) return `${Math.floor(ms / DAY_MS)} d ago`;
  return formatDate(iso);
}

function formatRecent(agoMs: number): string {
  if (agoMs < MINUTE_MS) return 'just now';
  return agoMs < HOUR_MS ? `${Math.floor(agoMs / MINUTE_MS)} min ago` : `${Math.floor(agoMs / HOUR_MS)} h ago`;
}

function formatHalfDay(date: Date, now: Date): string | null {
  const agoMs = now.getTime() - date.getTime();
  return agoMs >= 0 && agoMs < 12 * HOUR_MS ? formatRecent(agoMs) : null;
}

/** Relative time within half a day, then the clock: the heading above the row shows the day. */
export function formatStarted(iso: string, now: Date): string {
  const date = readDate(iso);
  if (Number.isNaN(date.getTime())) return NOTHING;
  return formatHalfDay(date, now) ?? formatClock(iso);
}

/** The same with the day instead of the clock, for rows without such a heading: `19 Jul`, `19 Jul 2025`. */
export function formatStartedOn(iso: string, now: Date): string {
  const date = readDate(iso);
  if (Number.isNaN(date.getTime())) return NOTHING;
  const recent = formatHalfDay(date, now);
  if (recent !== null) return recent;
  shortDay ??= new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
  const year = date.getFullYear() === now.getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${shortDay.format(date)}${year}`;
}

/** Made once: making one takes longer than using it, and every row on the page has such a time. */
let shortDay: Intl.DateTimeFormat | undefined;
let exact: Intl.DateTimeFormat | undefined;

export function formatExact(iso: string | null): string {
  const date = readDate(iso ?? '');
  if (Number.isNaN(date.getTime())) return '';
  exact ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' });
  return exact.format(date);
}

/** `Yesterday, 09:30`. */
export function formatDateTime(iso: string, now: Date): string {
  const date = readDate(iso);
  if (Number.isNaN(date.getTime())) return NOTHING;
  const days = daysBetween(date, now);
  const name = days === 0 ? 'Today' : days === 1 ? 'Yesterday' : dayName(date, now);
  return `${name}, ${formatClock(iso)}`;
}

/** `Monday 5 January 2026`. */
export function formatDay(timeMs: number): string {
  const day = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  return new Date(timeMs).toLocaleDateString('en-GB', day);
}

/** `5 Jan`, of a day such as `2026-01-05`. */
export function formatShortDay(day: string): string {
  return new Date(`${day}T12:00`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

/** `24 May – 20 Jun 2025`, of days such as `2025-06-20`. */
export function formatDays(first: string, last: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
  return format.formatRange(new Date(`${first}T12:00`), new Date(`${last}T12:00`));
}

/** `Jan 2026`, of a day in it. */
export function formatMonth(day: string): string {
  return new Date(`${day}T12:00`).toLocaleDateString('en-GB', { month: 'short', year: 'numeric' });
}

/** A line of Markdown as plain text: without marks around code and bold words, and without those of headings and lists. */
export function withoutMarks(line: string): string {
  return withoutCodeMarks(line.replace(/^\s*(?:#{1,6}|[-*+]|>)\s+/, '')).replaceAll(/\*\*([^*\n]+)\*\*/g, '$1');
}

/** A line without the marks around code, for places that show plain text. */
export function withoutCodeMarks(text: string): string {
  return text.replaceAll(/`+([^`\n]+)`+/g, '$1');
}

function dayName(date: Date, now: Date): string {
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year });
}

/** Heading above the sessions of a day. */
export function formatDayHeading(iso: string, now: Date): string {
  const date = readDate(iso);
  if (Number.isNaN(date.getTime())) return 'No date';
  const days = daysBetween(date, now);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return `${date.toLocaleDateString('en-GB', { weekday: 'long' })} ${dayName(date, now)}`;
}

function daysBetween(date: Date, now: Date): number {
  return Math.round((startOfDay(now) - startOfDay(date)) / DAY_MS);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

const MODEL_IDS = [
  /^claude-(?<family>[a-z]+)-(?<major>\d+)(?:-(?<minor>\d{1,2}))?(?:-\d{8})?$/,
  // Before Claude 4, the version came first.
  /^claude-(?<major>\d)(?:-(?<minor>\d))?-(?<family>[a-z]+)(?:-\d{8})?$/,
];

/** `claude-opus-4-5-20251101` → `opus 4.5`, `claude-3-5-haiku-20241022` → `haiku 3.5`; other names are unchanged. */
export function shortModel(model: string | null): string {
  if (model === null) return NOTHING;
  const { family, major, minor } = MODEL_IDS.map((form) => form.exec(model)?.groups).find(Boolean) ?? {};
  if (family === undefined) return model;
  return `${family} ${major}${minor === undefined ? '' : `.${minor}`}`;
}

// Colors and other terminal sequences; other control characters would be invisible in a browser.
// oxlint-disable-next-line no-control-regex
const TERMINAL_SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// oxlint-disable-next-line no-control-regex
const OTHER_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

export function withoutTerminalCodes(text: string): string {
  return text.replace(TERMINAL_SEQUENCES, '').replace(/\r\n?/g, '\n').replace(OTHER_CONTROLS, '\ufffd');
}

export function firstLine(text: string, maxChars: number): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return shorten(line, maxChars);
}

/** The beginning of a longer text, with an ellipsis and without half a character before it. */
export function shorten(text: string, maxChars: number): string {
  return text.length > maxChars ? `${beginningOf(text, maxChars)}…` : text;
}

export function beginningOf(text: string, maxChars: number): string {
  const isTorn = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(maxChars - 1, maxChars + 1));
  return text.slice(0, isTorn ? maxChars - 1 : maxChars);
}

/** An invalid date for text that is not a date, and for sessions without a start. */
function readDate(iso: string): Date {
  return new Date(iso === UNDATED ? Number.NaN : iso);
}

/** Sentences printed by several commands. */

/** For a database that was lost while the archive still exists. */
export function unknownCaptures(count: number): string {
  return `The archive contains ${plural(count, 'capture')} that the database does not have. Run \`fuel-code rebuild\`.`;
}

/** How much of the transcripts this version understands. */
export function driftSentence({ records, known, shapes }: Pick<DriftAnswer, 'records' | 'known' | 'shapes'>): string {
  if (records === 0) return 'No transcript has been parsed yet.';
  const rate = `${formatCount(known)} of ${plural(records, 'record')} known (${formatRate(known / records)})`;
  if (shapes.length === 0) return `${rate}.`;
  const things = plural(new Set(shapes.map(({ name }) => name)).size, 'unknown shape');
  return `${rate}; ${things}. Unknown content is kept in the archive.`;
}

const ALL = 1;
const PERCENT = 100;

/** Never 100% as long as something is unknown. */
export function formatRate(rate: number): string {
  if (rate === ALL) return '100%';
  return `${(Math.floor(rate * PERCENT * PERCENT) / PERCENT).toFixed(2)}%`;
}

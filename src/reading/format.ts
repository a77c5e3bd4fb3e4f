import { UNDATED } from '../domain/session.ts';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const NOTHING = '–';

export function formatCount(value: number | null): string {
  return value === null ? NOTHING : value.toLocaleString('en');
}

/** 950, 9.5k, 950k, 1.2M: three digits at most, so that columns stay narrow. */
export function formatCompact(value: number | null): string {
  if (value === null) return NOTHING;
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
    .format(value)
    .replace('K', 'k');
}

export function formatCost(dollars: number | null): string {
  if (dollars === null) return NOTHING;
  if (dollars > 0 && dollars < 0.005) return '<$0.01';
  return dollars.toLocaleString('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 2 });
}

export function formatDuration(ms: number | null): string {
  if (ms === null) return NOTHING;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(ms / DAY_MS)} days`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const unit = bytes < 1_000_000 ? 'kB' : bytes < 1_000_000_000 ? 'MB' : 'GB';
  const size = bytes / { kB: 1_000, MB: 1_000_000, GB: 1_000_000_000 }[unit];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** How long ago within half a day, then as much of the date as the heading above the row leaves open. */
export function formatStarted(iso: string, now: Date): string {
  const date = readDate(iso);
  if (Number.isNaN(date.getTime())) return NOTHING;
  const agoMs = now.getTime() - date.getTime();
  if (agoMs >= 0 && agoMs < MINUTE_MS) return 'just now';
  if (agoMs >= 0 && agoMs < HOUR_MS) return `${Math.floor(agoMs / MINUTE_MS)} min ago`;
  if (agoMs >= 0 && agoMs < 12 * HOUR_MS) return `${Math.floor(agoMs / HOUR_MS)} h ago`;
  const days = daysBetween(date, now);
  if (days <= 1) return formatClock(iso);
  const day = days < 7 ? { weekday: 'short' as const } : { day: 'numeric' as const, month: 'short' as const };
  return `${date.toLocaleDateString('en-GB', day)} ${formatClock(iso)}`;
}

export function formatClock(iso: string | null): string {
  const date = new Date(iso ?? '');
  if (Number.isNaN(date.getTime())) return '';
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

export function formatExact(iso: string | null): string {
  const date = readDate(iso ?? '');
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'medium' });
}

export function formatDateTime(iso: string, now: Date): string {
  const date = readDate(iso);
  if (Number.isNaN(date.getTime())) return NOTHING;
  const days = daysBetween(date, now);
  const name = days === 0 ? 'Today' : days === 1 ? 'Yesterday' : formatDate(date, now);
  return `${name}, ${formatClock(iso)}`;
}

function formatDate(date: Date, now: Date): string {
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year });
}

/** The heading that a session stands under: days while they are near, then the week, then months. */
export function formatPeriod(iso: string, now: Date): string {
  const date = readDate(iso);
  if (Number.isNaN(date.getTime())) return 'Without a date';
  const days = daysBetween(date, now);
  if (days <= 0) return days === 0 ? 'Today' : 'Later than now';
  if (days === 1) return 'Yesterday';
  if (days < 7) return 'Past week';
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString('en-GB', { month: 'long', year });
}

function daysBetween(date: Date, now: Date): number {
  return Math.round((startOfDay(now) - startOfDay(date)) / DAY_MS);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `claude-opus-4-5-20251101` → `opus 4.5`; anything else as it is. */
export function shortModel(model: string | null): string {
  if (model === null) return NOTHING;
  const match = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(model);
  if (match === null) return model;
  return `${match[1]} ${match[2]}${match[3] === undefined ? '' : `.${match[3]}`}`;
}

// Colour codes and other terminal sequences, and control characters that a browser would show as nothing.
// oxlint-disable-next-line no-control-regex
const TERMINAL_SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// oxlint-disable-next-line no-control-regex
const OTHER_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

export function withoutTerminalCodes(text: string): string {
  return text.replace(TERMINAL_SEQUENCES, '').replace(/\r\n?/g, '\n').replace(OTHER_CONTROLS, '\ufffd');
}

export function firstLine(text: string, maxChars: number): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}

/** Invalid for what is no time, and for the start of a session that has none. */
function readDate(iso: string): Date {
  return new Date(iso === UNDATED ? Number.NaN : iso);
}

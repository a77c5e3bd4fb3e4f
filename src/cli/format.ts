import { UNDATED } from '../domain/session.ts';
import type { SessionRow } from '../domain/query.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1_000;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** 1 file, 2 files. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** 1234567 → 1.2M; short enough for a column. */
export function formatCount(count: number | null): string {
  if (count === null) return '–';
  if (count < 1_000) return String(count);
  const [value, unit] =
    count < 999_950 ? [count / 1e3, 'k'] : count < 999_950_000 ? [count / 1e6, 'M'] : [count / 1e9, 'G'];
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)}${unit}`;
}

/** Dollars to the cent; small amounts keep two digits that say something; unknown is said, never shown as zero. */
export function formatCost(dollars: number | null, unknownModels: readonly string[] = []): string {
  if (dollars === null) return unknownModels.length > 0 ? 'unknown' : '–';
  const text = dollars > 0 && dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
  return unknownModels.length > 0 ? `${text}+?` : text;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function formatDuration(ms: number | null): string {
  if (ms === null) return '–';
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${twoDigits(minutes % 60)}`;
  return `${Math.floor(hours / 24)}d${hours % 24}h`;
}

export function formatAgo(iso: string, now: Date): string {
  if (iso === UNDATED) return 'undated';
  const ms = now.getTime() - Date.parse(iso);
  if (ms < 0) return formatDate(iso);
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  if (ms < 14 * DAY_MS) return `${Math.floor(ms / DAY_MS)} d ago`;
  return formatDate(iso);
}

/** What a session is called in a line. */
export function titleText({ title, initial_prompt }: Pick<SessionRow, 'title' | 'initial_prompt'>): string {
  return title ?? initial_prompt ?? '(no prompt)';
}

/** To the minute, by the clock on the wall here; the exact instant is in the JSON. */
export function formatTime(iso: string | null): string {
  if (iso === null) return '';
  if (iso === UNDATED) return 'undated';
  const date = new Date(iso);
  return `${formatDate(iso)} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

export function formatDate(iso: string): string {
  const date = new Date(iso);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** To the second, for what happens while one looks. */
export function formatClock(iso: string): string {
  const date = new Date(iso);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

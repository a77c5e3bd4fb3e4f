import { DAY_MS } from '../domain/durations.ts';
import { MAX_JSON_DEPTH } from '../domain/json.ts';
import type { JsonValue } from '../domain/transcript.ts';
import { sha256Hex } from '../lib/sha256.ts';

/*
 * The boundary between transcripts and databases. PostgreSQL rejects NUL in text and lone surrogates in JSON, and both
 * engines limit depth and numbers; so columns hold sanitised projections. The raw bytes are authoritative.
 */

/**
 * Maximum length of one text in a row; a longer one is truncated and marked. It bounds memory, since a text is read as
 * a whole; docs/search.md has the measurement behind it.
 */
export const MAX_TEXT_CHARS = 32 * 1024 * 1024;
/** How much of one text a transcript page shows, to limit the page size; the complete text is available on request. */
export const MAX_SHOWN_CHARS = 256 * 1024;
export const MAX_KEY_CHARS = 200;

const NUL = '\0';
const VISIBLE_NUL = '\u2400';
const TOO_DEEP = `[nested deeper than ${MAX_JSON_DEPTH} levels]`;

export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes(NUL) ? wellFormed.replaceAll(NUL, VISIBLE_NUL) : wellFormed;
}

export function cleanTextOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : cleanText(text);
}

/** Truncates a text to the row limit; never splits a character. */
export function cutText(text: string, maxChars = MAX_TEXT_CHARS): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= maxChars) return { text: cleanText(text), isCut: false };
  return { text: cleanText(text.slice(0, maxChars)).replace(/\ufffd$/, ''), isCut: true };
}

/** An id for an indexed column, within the size limit of an index row; long ones stay distinct by their hash. */
export function indexKey(text: string): string {
  const clean = cleanText(text);
  if (clean.length <= MAX_KEY_CHARS) return clean;
  return `${clean.slice(0, MAX_KEY_CHARS / 2)}#${sha256Hex(text)}`;
}

export function indexKeyOrNull(text: string | null): string | null {
  return text === null ? null : indexKey(text);
}

/** Serializes any JSON value to text that both engines accept. */
export function cleanJson(value: unknown): string {
  const text = JSON.stringify(isClean(value, 0) ? value : cleanValue(value as JsonValue, 0));
  return text ?? 'null';
}

export function readJson<T>(text: string): T {
  return JSON.parse(text) as T;
}

function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes(NUL);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_JSON_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1));
  return Object.entries(value).every(([key, item]) => isClean(key, depth) && isClean(item, depth + 1));
}

function cleanValue(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_JSON_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item: JsonValue) => cleanValue(item, depth + 1));
  const clean = Object.create(null) as Record<string, JsonValue>;
  for (const [key, item] of Object.entries(value)) clean[cleanText(key)] = cleanValue(item, depth + 1);
  return clean;
}

/** ISO-8601 UTC in milliseconds; null for a time that one of the engines cannot store. */
export function cleanTime(text: string | null | undefined): string | null {
  if (!text) return null;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return null;
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at.toISOString() : null;
}

/** A count that fits both BIGINT and JavaScript, or null. */
export function cleanCount(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Ten years: longer durations are errors in the transcript and would distort every sum. */
const MAX_DURATION_MS = 10 * 366 * DAY_MS;

/** A duration in whole milliseconds, capped to a plausible value; null when invalid. */
export function cleanDuration(value: number | null | undefined): number | null {
  if (value === null || value === undefined || !Number.isFinite(value) || value < 0) return null;
  return Math.min(Math.round(value), MAX_DURATION_MS);
}

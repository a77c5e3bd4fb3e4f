import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, FuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { guardFolder, isOurs, namesIn } from './private-file.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  readonly write: (line: string) => void;
  /** Identifies the process on every line. */
  readonly speaker?: LogFields;
  /** Removes secrets from a value: errors may quote the text that caused them, and people paste logs into reports. */
  readonly clean?: (text: string) => string;
}

/** A parsed log line. */
export interface LogEntry {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const MAX_VALUE_CHARS = 2_000;

/** JSON lines. Control characters are escaped, so that no value can end a line or move the cursor. */
export function createLog({ level, clock, write, speaker = {}, clean = (text) => text }: LogOptions): Log {
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (!isAtLeast(name, level)) return;
      const cleaned = Object.entries(fields).map(([key, value]) => [
        key,
        typeof value === 'string' ? clean(value) : value,
      ]);
      write(formatLine(clock.now(), name, message, { ...speaker, ...Object.fromEntries(cleaned) }));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Null for text that is not a log line, for example one truncated by a full disk. */
function parseLogLine(line: string): LogEntry | null {
  try {
    const { time, level, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const isEntry = typeof time === 'string' && typeof message === 'string' && isLogLevel(level);
    return isEntry ? { time, level, message, fields } : null;
  } catch {
    return null;
  }
}

function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

function formatLine(now: Date, level: LogLevel, message: string, fields: LogFields): string {
  const entry = Object.entries({ time: now.toISOString(), level, message, ...fields });
  const parts = entry
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${escaped(key)}:${typeof value === 'string' ? escaped(value) : JSON.stringify(value)}`);
  return `{${parts.join(',')}}\n`;
}

function escaped(text: string): string {
  const cut = text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
  return JSON.stringify(cut).replaceAll(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** I6: limits the size of the log; the oldest file is deleted when a new one is created. */
export const MAX_LOG_FILES = 5;
export const MAX_LOG_FILE_BYTES = 5 * 1024 * 1024;
/** Below the maximum, because processes that check the size at the same time may each write one more line. */
const FULL_BYTES = 5_000_000;
const MAX_TRIES = 10;
const NAME = /^(\d{6,15})\.jsonl$/;
const NEWLINE = 0x0a;
/** Do not follow links or block on pipes. */
const SAFE_OPEN = constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function logFolder(home: string): string {
  return join(home, 'logs');
}

/**
 * Appends a line to the newest file in a single write, so that lines of several processes are not mixed. Files have
 * increasing numbers and are never renamed: any process can create the next one without losing lines. Errors:
 * bad_config for a folder that is a link or belongs to another user; those of the disk.
 */
export function appendLogLine(folder: string, line: string): void {
  guardFolder(folder);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const newest = listNumbers(folder).at(-1) ?? 0;
    if (newest > 0 && tryAppend(pathOf(folder, newest), line)) return;
    beginFile(folder, newest + 1);
  }
  throw new FuelError('busy', `Cannot write the log in ${folder}: another process keeps changing it.`);
}

/** False when the file is full, missing, not a regular file, or not ours. */
function tryAppend(path: string, line: string): boolean {
  const fd = openOrNull(path, constants.O_RDWR | constants.O_APPEND);
  if (fd === null) return false;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || !isOurs(stat.uid)) return false;
    // A full disk may have truncated the last line; start a new line so that this one stays readable.
    const bytes = Buffer.from(endsLine(fd, stat.size) ? line : `\n${line}`);
    if (stat.size > 0 && stat.size + bytes.length > FULL_BYTES) return false;
    if (writeSync(fd, bytes) < bytes.length)
      throw new FuelError('file_unavailable', `Cannot write ${path}: the disk is full.`);
    return true;
  } finally {
    closeSync(fd);
  }
}

function endsLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE;
}

function beginFile(folder: string, number: number): void {
  try {
    closeSync(openSync(pathOf(folder, number), 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    throw error;
  }
  for (const old of listNumbers(folder).slice(0, -MAX_LOG_FILES)) rmSync(pathOf(folder, old), { force: true });
}

/** The position up to which a log has been read. */
export interface LogPosition {
  readonly number: number;
  readonly offset: number;
}

export const LOG_START: LogPosition = { number: 0, offset: 0 };

interface LogPart {
  readonly entries: readonly LogEntry[];
  /** Number of damaged lines. */
  readonly broken: number;
  readonly end: LogPosition;
}

/** Entries after a position, oldest first; a line that is still being written is returned next time. */
export function readLog(folder: string, from: LogPosition): LogPart {
  const lines: string[] = [];
  let end = from;
  for (const number of listNumbers(folder).filter((each) => each >= from.number)) {
    const offset = number === from.number ? from.offset : 0;
    const bytes = readFrom(pathOf(folder, number), offset);
    const whole = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
    for (const line of whole.toString('utf8').split('\n')) if (line !== '') lines.push(line);
    end = { number, offset: offset + whole.length };
  }
  const entries = lines.map(parseLogLine).filter((entry) => entry !== null);
  return { entries, broken: lines.length - entries.length, end };
}

function readFrom(path: string, offset: number): Buffer {
  const fd = openOrNull(path, constants.O_RDONLY);
  if (fd === null) return Buffer.alloc(0);
  try {
    return fstatSync(fd).isFile() ? readFileSync(fd).subarray(offset) : Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}

/** Null for a missing file, a link, a pipe or a folder, which cannot hold a log. */
function openOrNull(path: string, flags: number): number | null {
  try {
    return openSync(path, flags | SAFE_OPEN);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

function listNumbers(folder: string): readonly number[] {
  return namesIn(folder)
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

function pathOf(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.jsonl`);
}

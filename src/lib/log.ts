import type { Clock } from '../domain/ports.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  readonly write: (line: string) => void;
  /** Identifies the process on every line. */
  readonly speaker?: LogFields;
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
export function createLog({ level, clock, write, speaker = {} }: LogOptions): Log {
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (!isAtLeast(name, level)) return;
      write(formatLine(clock.now(), name, message, { ...speaker, ...fields }));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Null for text that is not a log line, for example one truncated by a full disk. */
export function parseLogLine(line: string): LogEntry | null {
  try {
    const { time, level, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const isEntry = typeof time === 'string' && typeof message === 'string' && isLogLevel(level);
    return isEntry ? { time, level, message, fields } : null;
  } catch {
    return null;
  }
}

export function isLogLevel(value: unknown): value is LogLevel {
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

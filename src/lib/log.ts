import type { Clock } from '../domain/ports.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  readonly write: (line: string) => void;
}

const MAX_VALUE_CHARS = 2_000;

/** JSON lines. A value can neither end a line nor move a cursor: whatever is not plain is escaped. */
export function createLog({ level, clock, write }: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(name) < threshold) return;
      write(formatLine(clock.now(), name, message, fields));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
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

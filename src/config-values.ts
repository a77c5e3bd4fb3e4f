import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { readSafeUrl, readServerUrl } from './domain/requests.ts';
import { LOG_LEVELS, type LogLevel } from './lib/log.ts';

/** The types of options, how their values are read, and what an invalid value should have been. */
export type OptionType =
  | 'path'
  | 'paths'
  | 'text'
  | 'texts'
  | 'names'
  | 'url'
  | 'database'
  | 'webhook'
  | 'flag'
  | 'port'
  | 'level'
  | 'count'
  | 'amount'
  | 'summaries';

/** `narrative`: nothing leaves the machine. `ai`: redacted excerpts are sent to a model as well. */
const SUMMARY_MODES = ['narrative', 'ai'] as const;

export type ValueOf<T extends OptionType> = {
  path: string;
  paths: readonly string[];
  text: string;
  texts: readonly string[];
  names: readonly string[];
  url: string;
  database: string;
  webhook: string;
  flag: boolean;
  port: number;
  level: LogLevel;
  count: number;
  amount: number;
  summaries: (typeof SUMMARY_MODES)[number];
}[T];

const HOST_NAME = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

export const OPTION_PARSERS: { readonly [T in OptionType]: (value: unknown) => ValueOf<T> | undefined } = {
  path: (value) => (typeof value === 'string' && value !== '' ? resolve(expandHome(value)) : undefined),
  paths: (value) => {
    const paths = typeof value === 'string' ? value.split(delimiter).filter(Boolean) : value;
    if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string')) return undefined;
    return paths.map((path) => resolve(expandHome(path)));
  },
  text: (value) => (typeof value === 'string' ? value : undefined),
  texts: (value) => {
    const texts = typeof value === 'string' ? value.split(',').map((text) => text.trim()) : value;
    if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) return undefined;
    return texts.filter(Boolean);
  },
  names: (value) => {
    const names = typeof value === 'string' ? value.split(',') : value;
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return undefined;
    const trimmed = names.map((name) => name.trim().toLowerCase()).filter(Boolean);
    return trimmed.every((name) => HOST_NAME.test(name)) ? trimmed : undefined;
  },
  database: (value) =>
    typeof value === 'string' && (value === '' || /^(?:postgres(?:ql)?:\/\/|socket:|\/)/.test(value))
      ? value
      : undefined,
  url: (value) => (typeof value === 'string' ? (readServerUrl(value) ?? undefined) : undefined),
  webhook: (value) => (typeof value === 'string' ? (readSafeUrl(value) ?? undefined) : undefined),
  flag: (value) => {
    if (value === true || value === 'true' || value === '1') return true;
    return value === false || value === 'false' || value === '0' ? false : undefined;
  },
  port: (value) => {
    const port = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value;
    return typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined;
  },
  level: (value) => LOG_LEVELS.find((level) => level === value),
  count: (value) => {
    const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : undefined;
  },
  amount: (value) => {
    const amount = typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
    return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
  },
  summaries: (value) => SUMMARY_MODES.find((mode) => mode === value),
};

export const EXPECTED_VALUES: Readonly<Record<OptionType, string>> = {
  path: 'a path',
  paths: 'a list of paths',
  text: 'text',
  texts: 'a list of texts',
  names: 'host names such as fuel.example.org or 10.0.0.2:4680',
  url: 'a URL such as https://fuel.example.org',
  database: 'a PostgreSQL URL such as postgres://user:password@host/database',
  webhook: 'an https URL without a user name, or http on this machine',
  flag: 'true or false',
  port: 'a port number from 0 to 65535',
  level: LOG_LEVELS.join(', '),
  count: 'a positive whole number',
  amount: 'a number that is not negative',
  summaries: SUMMARY_MODES.join(' or '),
};

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

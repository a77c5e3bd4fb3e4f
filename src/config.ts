import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { FuelError } from './domain/errors.ts';
import { readServerUrl } from './domain/server-address.ts';
import { LOG_LEVELS, type LogLevel } from './lib/log.ts';
import { readTextFile } from './lib/private-file.ts';

type OptionType =
  | 'path'
  | 'paths'
  | 'text'
  | 'texts'
  | 'names'
  | 'url'
  | 'flag'
  | 'port'
  | 'level'
  | 'count'
  | 'amount'
  | 'summaries';

/** `narrative`: nothing leaves the machine. `ai`: redacted excerpts are sent to a model as well. */
const SUMMARY_MODES = ['narrative', 'ai'] as const;

interface Option {
  readonly type: OptionType;
  /** What it is when nobody says anything; null is "not set". */
  readonly default: string | number | boolean | readonly string[] | null;
  readonly env: string;
  /** Never printed. */
  readonly secret?: true;
  /** Only from the environment: the configuration file cannot say where it lies. */
  readonly envOnly?: true;
  readonly about: string;
}

/** Every option there is. The parser, `fuel-code config` and docs/config.md are made from this table. */
export const OPTIONS = {
  home: {
    type: 'path',
    default: join(homedir(), '.fuel-code'),
    env: 'FUEL_CODE_HOME',
    envOnly: true,
    about: 'The data folder: database, archive, token, log, configuration file.',
  },
  claudeHome: {
    type: 'path',
    default: join(homedir(), '.claude'),
    env: 'CLAUDE_CONFIG_DIR',
    about: 'The Claude Code home whose sessions are kept, besides those known already; see docs/hooks.md.',
  },
  ignore: {
    type: 'paths',
    default: [],
    env: 'FUEL_CODE_IGNORE',
    about:
      'Project folders that are never read, with all below them; several are separated by the system’s path separator, or a list in the file. A folder that holds a file .fuel-code-ignore is left out as well.',
  },
  databaseUrl: {
    type: 'text',
    default: null,
    env: 'DATABASE_URL',
    secret: true,
    about: 'A postgres:// URL; without it the embedded SQLite database in the data folder is used.',
  },
  s3Bucket: {
    type: 'text',
    default: null,
    env: 'S3_BUCKET',
    about: 'The bucket for the raw archive; without it the archive is a folder in the data folder.',
  },
  s3Endpoint: { type: 'text', default: null, env: 'S3_ENDPOINT', about: 'The object store, when it is not AWS.' },
  s3Region: { type: 'text', default: 'us-east-1', env: 'S3_REGION', about: 'The region of the bucket.' },
  s3Prefix: { type: 'text', default: '', env: 'S3_PREFIX', about: 'Put before every object key.' },
  s3ForcePathStyle: {
    type: 'flag',
    default: true,
    env: 'S3_FORCE_PATH_STYLE',
    about: 'Address the bucket in the path, as most object stores but AWS want it.',
  },
  s3AccessKeyId: { type: 'text', default: null, env: 'S3_ACCESS_KEY_ID', secret: true, about: 'Key of the bucket.' },
  s3SecretAccessKey: {
    type: 'text',
    default: null,
    env: 'S3_SECRET_ACCESS_KEY',
    secret: true,
    about: 'Secret of the bucket key.',
  },
  summaries: {
    type: 'summaries',
    default: 'narrative',
    env: 'FUEL_CODE_SUMMARIES',
    about:
      'narrative: sessions are told from their rows, and nothing leaves the machine. ai: redacted excerpts are also sent to a model for a summary in a few sentences; a key alone never switches this on.',
  },
  anthropicApiKey: {
    type: 'text',
    default: null,
    env: 'ANTHROPIC_API_KEY',
    secret: true,
    about: 'The key for AI summaries; without summaries = ai it is not used.',
  },
  summaryBaseUrl: {
    type: 'text',
    default: 'https://api.anthropic.com',
    env: 'ANTHROPIC_BASE_URL',
    about: 'Where the model is asked: https, or http on this machine.',
  },
  summaryModel: {
    type: 'text',
    default: 'claude-haiku-5-5',
    env: 'SUMMARY_MODEL',
    about: 'The model that writes AI summaries; its price must be known.',
  },
  summaryTemperature: {
    type: 'amount',
    default: null,
    env: 'SUMMARY_TEMPERATURE',
    about: 'Sent only when set: today’s models refuse it, older ones take 0 to 1.',
  },
  summaryMaxInputTokens: {
    type: 'count',
    default: 8_000,
    env: 'SUMMARY_MAX_INPUT_TOKENS',
    about: 'The most that one question may hold, counted as three bytes a token.',
  },
  summaryMaxOutputTokens: {
    type: 'count',
    default: 300,
    env: 'SUMMARY_MAX_OUTPUT_TOKENS',
    about: 'The most that one answer may hold.',
  },
  summaryMaxUsdPerDay: {
    type: 'amount',
    default: 0.5,
    env: 'SUMMARY_MAX_USD_PER_DAY',
    about: 'Hard ceiling for what AI summaries may cost on one day (UTC), over all processes.',
  },
  summaryMaxUsdPerSession: {
    type: 'amount',
    default: 0.05,
    env: 'SUMMARY_MAX_USD_PER_SESSION',
    about: 'Hard ceiling for what the AI summaries of one session may ever cost, its sub-agents included.',
  },
  summaryQuietMinutes: {
    type: 'amount',
    default: 10,
    env: 'SUMMARY_QUIET_MINUTES',
    about: 'A session is summarised by the model when nothing was written to it for so long.',
  },
  redact: {
    type: 'texts',
    default: [],
    env: 'FUEL_CODE_REDACT',
    about:
      'Texts of your own that never leave the machine, besides the secrets that are known by their form; * stands for anything but spaces. Several are separated by commas, or a list in the file.',
  },
  port: {
    type: 'port',
    default: 4680,
    env: 'FUEL_CODE_PORT',
    about: 'The port of the local page; when it is taken, the next free one is used. 0 is any.',
  },
  host: {
    type: 'text',
    default: '127.0.0.1',
    env: 'FUEL_CODE_HOST',
    about: 'The address that the page listens on. Another than 127.0.0.1 or ::1 needs allowedHosts.',
  },
  allowedHosts: {
    type: 'names',
    default: [],
    env: 'FUEL_CODE_ALLOWED_HOSTS',
    about:
      'Names under which other machines reach this server, as they stand in the address, with the port unless it is that of the scheme; separated by commas, or a list in the file.',
  },
  serverUrl: {
    type: 'url',
    default: null,
    env: 'FUEL_CODE_SERVER_URL',
    about:
      'A fuel-code server that gets a copy of everything this machine keeps, and that --remote asks; without it nothing leaves the machine.',
  },
  serverToken: {
    type: 'text',
    default: null,
    env: 'FUEL_CODE_SERVER_TOKEN',
    secret: true,
    about: 'The token of that server, or the one that it gave this device.',
  },
  serverAllowHttp: {
    type: 'flag',
    default: false,
    env: 'FUEL_CODE_SERVER_ALLOW_HTTP',
    about: 'Send to a server on another machine without encryption; only for a network you trust.',
  },
  openBrowser: {
    type: 'flag',
    default: true,
    env: 'FUEL_CODE_OPEN_BROWSER',
    about: 'Open the page in the browser when there is one.',
  },
  logLevel: {
    type: 'level',
    default: 'warn',
    env: 'FUEL_CODE_LOG_LEVEL',
    about: 'How much is written to standard error and, by worker and server, to the log: debug, info, warn or error.',
  },
} as const satisfies Record<string, Option>;

export type OptionKey = keyof typeof OPTIONS;
type ValueOf<T extends OptionType> = {
  path: string;
  paths: readonly string[];
  text: string;
  texts: readonly string[];
  names: readonly string[];
  url: string;
  flag: boolean;
  port: number;
  level: LogLevel;
  count: number;
  amount: number;
  summaries: (typeof SUMMARY_MODES)[number];
}[T];
type Nullable<K extends OptionKey> = (typeof OPTIONS)[K]['default'] extends null ? null : never;

export type Config = { readonly [K in OptionKey]: ValueOf<(typeof OPTIONS)[K]['type']> | Nullable<K> };
export type Source = 'default' | 'file' | 'environment';

export interface LoadedConfig {
  readonly config: Config;
  readonly sources: Readonly<Record<OptionKey, Source>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Environment before file before default. Errors: bad_config, naming the option and where it stands. */
export function loadConfig(env: Environment): LoadedConfig {
  const config: Record<string, unknown> = {};
  const sources = {} as Record<OptionKey, Source>;
  const read = (key: OptionKey, file: ReadonlyMap<string, unknown>) => {
    const option: Option = OPTIONS[key];
    const fromEnv = env[option.env];
    const isInEnv = fromEnv !== undefined && fromEnv !== '';
    const isInFile = !isInEnv && !option.envOnly && file.has(key);
    sources[key] = isInEnv ? 'environment' : isInFile ? 'file' : 'default';
    const value = isInEnv ? fromEnv : isInFile ? file.get(key) : option.default;
    config[key] =
      sources[key] === 'default' ? value : parse(option, value, isInEnv ? option.env : `${key} in config.json`);
  };
  read('home', new Map());
  const file = readConfigFile(join(config.home as string, 'config.json'));
  for (const key of Object.keys(OPTIONS) as OptionKey[]) if (key !== 'home') read(key, file);
  return { config: config as Config, sources };
}

function readConfigFile(path: string): ReadonlyMap<string, unknown> {
  const text = readTextFile(path);
  if (text === null) return new Map();
  const values = new Map(Object.entries(parseObject(path, text)));
  const unknown = [...values.keys()].find((key) => !Object.hasOwn(OPTIONS, key));
  if (unknown === undefined) return values;
  throw new FuelError('bad_config', `${path} sets ${JSON.stringify(unknown)}, which is no option.`, {
    hint: '`fuel-code config` lists all options.',
  });
}

function parseObject(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Falls through to the one sentence for every file that is not a JSON object.
  }
  throw new FuelError('bad_config', `${path} is not a JSON object.`, { hint: 'Mend the file or remove it.' });
}

const HOST_NAME = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

const PARSERS: { readonly [T in OptionType]: (value: unknown) => ValueOf<T> | undefined } = {
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
  url: (value) => (typeof value === 'string' ? (readServerUrl(value) ?? undefined) : undefined),
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

const EXPECTED: Readonly<Record<OptionType, string>> = {
  path: 'a path',
  paths: 'paths',
  text: 'text',
  texts: 'texts',
  names: 'host names such as fuel.example.org or 10.0.0.2:4680',
  url: 'an address such as https://fuel.example.org',
  flag: 'true or false',
  port: 'a port number from 0 to 65535',
  level: LOG_LEVELS.join(', '),
  count: 'a whole number above 0',
  amount: 'a number of 0 or more',
  summaries: SUMMARY_MODES.join(' or '),
};

function parse(option: Option, value: unknown, where: string): unknown {
  const parsed = PARSERS[option.type](value);
  if (parsed !== undefined) return parsed;
  const shown = option.secret ? 'its value' : JSON.stringify(value);
  throw new FuelError('bad_config', `${where} must be ${EXPECTED[option.type]}, but is ${shown}.`, {
    hint: `Correct it or leave it out; the default is ${JSON.stringify(option.default)}.`,
  });
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

import { homedir } from 'node:os';
import { join } from 'node:path';
import { EXPECTED_VALUES, OPTION_PARSERS, type OptionType, type ValueOf } from './config-values.ts';
import { FuelError } from './domain/errors.ts';
import { isJsonObject } from './domain/json.ts';
import { didYouMean } from './lib/nearest.ts';
import { readTextFile, writePrivateFile } from './lib/private-file.ts';
import { shellWord } from './lib/shell-word.ts';

interface Option {
  readonly type: OptionType;
  /** Null means "not set". */
  readonly default: string | number | boolean | readonly string[] | null;
  readonly env: string;
  /** Never printed. */
  readonly secret?: true;
  /** Only from the environment: the configuration file cannot contain its own location. */
  readonly envOnly?: true;
  readonly about: string;
}

/** Every option. The parser, `fuel-code config` and docs/config.md are generated from this table. */
export const OPTIONS = {
  home: {
    type: 'path',
    default: join(homedir(), '.fuel-code'),
    env: 'FUEL_CODE_HOME',
    envOnly: true,
    about: 'Data folder: database, archive, token, logs, configuration file.',
  },
  claudeHome: {
    type: 'path',
    default: join(homedir(), '.claude'),
    env: 'CLAUDE_CONFIG_DIR',
    about: 'Claude Code home to capture, in addition to those already known; see docs/hooks.md.',
  },
  ignore: {
    type: 'paths',
    default: [],
    env: 'FUEL_CODE_IGNORE',
    about:
      'Project folders that are never captured, including subfolders. Separate several with the system’s path separator, or use a list in the file. Folders containing a file named .fuel-code-ignore are skipped too.',
  },
  deleteAfterDays: { type: 'count', default: 7, env: 'FUEL_CODE_DELETE_AFTER_DAYS', about: 'Days to undo a deletion.' },
  databaseUrl: {
    type: 'database',
    default: null,
    env: 'DATABASE_URL',
    secret: true,
    about: 'PostgreSQL URL (postgres://…). Default: an embedded SQLite database in the data folder.',
  },
  s3Bucket: {
    type: 'text',
    default: null,
    env: 'S3_BUCKET',
    about: 'S3 bucket for the raw archive. Default: a folder in the data folder.',
  },
  s3Endpoint: {
    type: 'text',
    default: null,
    env: 'S3_ENDPOINT',
    about: 'S3 endpoint; only needed for object stores other than AWS.',
  },
  s3Region: { type: 'text', default: 'us-east-1', env: 'S3_REGION', about: 'Region of the bucket.' },
  s3Prefix: { type: 'text', default: '', env: 'S3_PREFIX', about: 'Prefix for all object keys.' },
  s3ForcePathStyle: {
    type: 'flag',
    default: true,
    env: 'S3_FORCE_PATH_STYLE',
    about: 'Use path-style bucket addresses, which most object stores other than AWS require.',
  },
  s3AccessKeyId: { type: 'text', default: null, env: 'S3_ACCESS_KEY_ID', secret: true, about: 'S3 access key id.' },
  s3SecretAccessKey: {
    type: 'text',
    default: null,
    env: 'S3_SECRET_ACCESS_KEY',
    secret: true,
    about: 'S3 secret access key.',
  },
  summaries: {
    type: 'summaries',
    default: 'narrative',
    env: 'FUEL_CODE_SUMMARIES',
    about:
      'narrative: summaries are generated locally and nothing leaves the machine. ai: redacted excerpts are also sent to a model, which writes a short summary. An API key alone never enables this.',
  },
  anthropicApiKey: {
    type: 'text',
    default: null,
    env: 'ANTHROPIC_API_KEY',
    secret: true,
    about: 'API key for AI summaries; only used if summaries is ai.',
  },
  summaryBaseUrl: {
    type: 'text',
    default: 'https://api.anthropic.com',
    env: 'ANTHROPIC_BASE_URL',
    about: 'API URL for AI summaries: https, or http on this machine.',
  },
  summaryModel: {
    type: 'text',
    default: 'claude-haiku-5-5',
    env: 'SUMMARY_MODEL',
    about: 'Model for AI summaries; its price must be known.',
  },
  summaryTemperature: {
    type: 'amount',
    default: null,
    env: 'SUMMARY_TEMPERATURE',
    about: 'Sampling temperature from 0 to 1. Sent only if set: current models reject it.',
  },
  summaryMaxInputTokens: {
    type: 'count',
    default: 8_000,
    env: 'SUMMARY_MAX_INPUT_TOKENS',
    about: 'Maximum input tokens per AI summary, estimated at three bytes per token.',
  },
  summaryMaxOutputTokens: {
    type: 'count',
    default: 300,
    env: 'SUMMARY_MAX_OUTPUT_TOKENS',
    about: 'Maximum output tokens per AI summary.',
  },
  summaryMaxUsdPerDay: {
    type: 'amount',
    default: 0.5,
    env: 'SUMMARY_MAX_USD_PER_DAY',
    about: 'Hard limit for the cost of AI summaries per day (UTC), across all processes.',
  },
  summaryMaxUsdPerSession: {
    type: 'amount',
    default: 0.05,
    env: 'SUMMARY_MAX_USD_PER_SESSION',
    about: 'Hard limit for the total cost of AI summaries of one session, including its sub-agents.',
  },
  summaryQuietMinutes: {
    type: 'amount',
    default: 10,
    env: 'SUMMARY_QUIET_MINUTES',
    about: 'Minutes without activity before a session gets an AI summary.',
  },
  redact: {
    type: 'texts',
    default: [],
    env: 'FUEL_CODE_REDACT',
    about:
      'Additional texts to redact, besides the secrets fuel-code detects itself; * matches anything but spaces. Separate several with commas, or use a list in the file.',
  },
  maskSecrets: {
    type: 'flag',
    default: false,
    env: 'FUEL_CODE_MASK_SECRETS',
    about:
      'Mask secrets in everything that is parsed from now on, instead of only in what leaves the machine. The archived bytes keep them; see docs/delete.md.',
  },
  port: {
    type: 'port',
    default: 4680,
    env: 'FUEL_CODE_PORT',
    about: 'Port of the web interface; if it is taken, the next free one is used. 0 means any free port.',
  },
  host: {
    type: 'text',
    default: '127.0.0.1',
    env: 'FUEL_CODE_HOST',
    about: 'Address the web interface listens on. Addresses other than 127.0.0.1 and ::1 require allowedHosts.',
  },
  allowedHosts: {
    type: 'names',
    default: [],
    env: 'FUEL_CODE_ALLOWED_HOSTS',
    about:
      'Host names other machines use to reach this server, with the port unless it is the default one. Separate several with commas, or use a list in the file.',
  },
  serverUrl: {
    type: 'url',
    default: null,
    env: 'FUEL_CODE_SERVER_URL',
    about:
      'fuel-code server that receives a copy of everything captured on this machine and that --remote queries. Without it, nothing leaves the machine.',
  },
  serverToken: {
    type: 'text',
    default: null,
    env: 'FUEL_CODE_SERVER_TOKEN',
    secret: true,
    about: 'Access token for that server, or the token created for this device.',
  },
  serverAllowHttp: {
    type: 'flag',
    default: false,
    env: 'FUEL_CODE_SERVER_ALLOW_HTTP',
    about: 'Allow unencrypted connections to a server on another machine; only for trusted networks.',
  },
  budgetWebhook: {
    type: 'webhook',
    default: null,
    env: 'FUEL_CODE_BUDGET_WEBHOOK',
    secret: true,
    about:
      'URL that receives a POST when a budget reaches 80% and 100%: https, or http on this machine; see docs/budgets.md.',
  },
  budgetCommand: {
    type: 'path',
    default: null,
    env: 'FUEL_CODE_BUDGET_COMMAND',
    about: 'Program that is started when a budget reaches 80% and 100%, with the alert as JSON on standard input.',
  },
  statuslineFormat: {
    type: 'text',
    default: null,
    env: 'FUEL_CODE_STATUSLINE_FORMAT',
    about: 'What the status line shows: fields such as {model} in parts separated by |; see docs/statusline.md.',
  },
  statuslineColor: {
    type: 'flag',
    default: true,
    env: 'FUEL_CODE_STATUSLINE_COLOR',
    about: 'Colors in the status line.',
  },
  openBrowser: {
    type: 'flag',
    default: true,
    env: 'FUEL_CODE_OPEN_BROWSER',
    about: 'Open the web interface in the browser.',
  },
  logLevel: {
    type: 'level',
    default: 'warn',
    env: 'FUEL_CODE_LOG_LEVEL',
    about:
      'Minimum level for messages on standard error and in the worker and server logs: debug, info, warn or error.',
  },
} as const satisfies Record<string, Option>;

export type OptionKey = keyof typeof OPTIONS;
type Nullable<K extends OptionKey> = (typeof OPTIONS)[K]['default'] extends null ? null : never;

export type Config = { readonly [K in OptionKey]: ValueOf<(typeof OPTIONS)[K]['type']> | Nullable<K> };
export type Source = 'default' | 'file' | 'environment';

export interface LoadedConfig {
  readonly config: Config;
  readonly sources: Readonly<Record<OptionKey, Source>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Precedence: environment, file, default. Errors: bad_config, naming the option and where it is set. */
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
  const file = readConfigFile(configFileOf(env));
  for (const key of Object.keys(OPTIONS) as OptionKey[]) if (key !== 'home') read(key, file);
  return { config: config as Config, sources };
}

/** The path of the embedded database. */
export function databasePath(home: string): string {
  return join(home, 'fuel.db');
}

/** The path of the configuration file, known without reading it. */
export function configFileOf(env: Environment): string {
  const home = parse(OPTIONS.home, env[OPTIONS.home.env] || OPTIONS.home.default, OPTIONS.home.env);
  return join(home as string, 'config.json');
}

/**
 * Sets an option in the configuration file, or removes it (null), and keeps everything else in the file, unknown keys
 * included: a newer version may have written them. Returns false if there was nothing to remove. Errors: usage,
 * bad_config.
 */
export function writeOption(path: string, key: string, text: string | null): boolean {
  if (text === '') {
    throw new FuelError('usage', `${key} requires a value.`, { hint: `\`fuel-code config unset ${key}\` removes it.` });
  }
  const values = new Map(Object.entries(parseObject(path, readTextFile(path) ?? '{}')));
  if (text !== null) values.set(key, parseGiven(OPTIONS[knownOption(key)], text, key));
  else if (!values.delete(key)) {
    knownOption(key);
    return false;
  }
  writePrivateFile(path, `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`);
  return true;
}

/** Errors: usage for an option that does not exist or cannot be in the file. */
function knownOption(key: string): OptionKey {
  if (!isOption(key)) throw unknownOption(key);
  const option: Option = OPTIONS[key];
  if (!option.envOnly) return key;
  throw new FuelError('usage', `${key} cannot be set in the configuration file.`, {
    hint: `Set the environment variable ${option.env} instead.`,
  });
}

export function isOption(key: string): key is OptionKey {
  return Object.hasOwn(OPTIONS, key);
}

export function unknownOption(key: string): FuelError {
  return new FuelError('usage', `Unknown setting ${JSON.stringify(key)}.`, {
    hint: `${optionMeant(key)}\`fuel-code config\` lists all settings.`,
  });
}

function optionMeant(key: string): string {
  return didYouMean(key, Object.keys(OPTIONS), (near) => `\`${near}\``);
}

function readConfigFile(path: string): ReadonlyMap<string, unknown> {
  const text = readTextFile(path);
  if (text === null) return new Map();
  const values = new Map(Object.entries(parseObject(path, text)));
  const unknown = [...values.keys()].find((key) => !Object.hasOwn(OPTIONS, key));
  if (unknown === undefined) return values;
  throw new FuelError('bad_config', `Unknown setting ${JSON.stringify(unknown)} in ${path}.`, {
    hint: `${optionMeant(unknown)}\`fuel-code config unset ${shellWord(unknown)}\` removes it; docs/config.md lists all settings.`,
  });
}

function parseObject(path: string, text: string): Record<string, unknown> {
  try {
    // Some editors start a file with a byte order mark.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below, together with every other file that is not a JSON object.
  }
  throw new FuelError('bad_config', `${path} is not a JSON object.`, { hint: 'Fix the file or remove it.' });
}

function parse(option: Option, value: unknown, where: string): unknown {
  const parsed = OPTION_PARSERS[option.type](value);
  if (parsed !== undefined) return parsed;
  const shown = option.secret ? 'its value is not' : `is ${JSON.stringify(value)}`;
  throw new FuelError('bad_config', `${where} must be ${EXPECTED_VALUES[option.type]}, but ${shown}.`, {
    hint: `Fix it or remove it${option.default === null ? '' : `; the default is ${JSON.stringify(option.default)}`}.`,
  });
}

/** Errors: bad_config for a value that cannot be stored. */
function parseGiven(option: Option, text: string, key: string): unknown {
  const parsed = OPTION_PARSERS[option.type](text);
  if (parsed !== undefined) return parsed;
  const shown = option.secret ? '' : `, not ${JSON.stringify(text)}`;
  throw new FuelError('bad_config', `${key} must be ${EXPECTED_VALUES[option.type]}${shown}.`, {
    hint: 'Nothing was changed.',
  });
}

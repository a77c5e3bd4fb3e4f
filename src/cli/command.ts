import type { Get } from '../api/table.ts';
import type { App } from '../app/open-app.ts';
import type { ServeOptions, Serving } from '../app/serving.ts';
import type { LoadedConfig } from '../config.ts';
import type { Clock } from '../domain/ports.ts';
import type { Log } from '../lib/log.ts';
import type { ExternalProgram } from './external-programs.ts';
import type { Picked, PickList } from './pick/prompt.ts';
import type { Terminal } from './terminal.ts';

export interface CommandOption {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** Placeholder for the value in the help, for example N. */
  readonly value?: string;
  readonly about: string;
  /** The only values it accepts, for completion. */
  readonly values?: readonly string[];
  /** It has no effect without one of these options. */
  readonly needs?: readonly string[];
  /** It has no effect on other actions of the command. */
  readonly actions?: readonly string[];
  /** Options that contradict this one. */
  readonly excludes?: readonly string[];
}

/** The data that an MCP server answers from. */
export interface ServeMcp {
  /** Without redaction. */
  readonly isRaw: boolean;
  /** Opens the data for one question. */
  open(): Promise<
    AsyncDisposable & { readonly get: Get; readonly deviceId: string | null; readonly isImporting: boolean }
  >;
}

/** Everything a command gets from main, passed in so that tests can replace it. */
export interface CommandContext {
  readonly loaded: LoadedConfig;
  /** Path of the configuration file, even when it cannot be read. */
  readonly configFile: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  openApp(): Promise<App>;
  /** Starts the HTTP server with the page. */
  serve(options: ServeOptions): Promise<Serving>;
  /** Prints the status line for the JSON on standard input. Never fails. */
  printStatusLine(format: string | null): Promise<void>;
  /** Answers MCP requests on standard input and output until the client ends. */
  serveMcp(options: ServeMcp): Promise<void>;
  /** The id of this machine; null before its first import. */
  deviceId(): Promise<string | null>;
  listCommands(): Promise<readonly Command[]>;
  /** Lets the user choose one of a list at the keyboard. Errors: usage without a keyboard; interrupted. */
  pick(list: PickList): Promise<Picked>;
  /** Runs another command line of fuel-code, as if it had been typed. */
  runCommand(argv: readonly string[]): Promise<void>;
  /** Hands the terminal to another program until it ends; returns its exit code. Errors: not_found. */
  runProgram(program: ExternalProgram): Promise<number>;
  /** Standard input. */
  readInput(): AsyncIterable<Uint8Array>;
  /** Opens a URL in the browser if there is a screen. */
  openBrowser(address: string): Promise<void>;
}

export interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
}

export interface Command {
  readonly name: string;
  readonly about: string;
  /** The values of the first argument, each with the arguments that follow it: `{ rename: 'DEVICE NAME' }`. */
  readonly actions?: Readonly<Record<string, string>>;
  /** The other arguments, as the help shows them: `<id>`. */
  readonly operands?: string;
  readonly minOperands?: number;
  readonly maxOperands?: number;
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly examples: readonly (readonly [command: string, about: string])[];
  /** F16: a service manager stops it with SIGTERM, which counts as success; any other command was interrupted. */
  readonly isService?: boolean;
  run(context: CommandContext, args: ParsedArguments): Promise<void>;
}

/** The arguments of a command as the help shows them. */
export function operandsOf({ actions, operands, minOperands = 0 }: Command): string {
  if (actions === undefined) return operands ?? '';
  const shown = Object.entries(actions).map(([action, words]) => `${action} ${words}`.trimEnd());
  return minOperands > 0 ? `<${shown.join(' | ')}>` : `[${shown.join(' | ')}]`;
}

/** Options of which only one of these names can be used at a time. */
export function onlyOneOf(names: readonly string[], options: Command['options']): Command['options'] {
  const excluding = names.map((name) => {
    const option = options[name] as CommandOption;
    return [name, { ...option, excludes: names.filter((other) => other !== name) }] as const;
  });
  return { ...options, ...Object.fromEntries(excluding) };
}

export const JSON_OPTION: CommandOption = { type: 'boolean', about: 'Print JSON.' };
/** Options of commands that change the configuration of Claude Code. */
export const INSTALL_OPTIONS = {
  yes: { type: 'boolean', actions: ['install'], about: 'With install: do not ask.' },
  'dry-run': {
    type: 'boolean',
    actions: ['install'],
    about: 'With install: show what would change without changing it.',
  },
  json: {
    ...JSON_OPTION,
    actions: ['install', 'uninstall', 'status'],
    about: 'With install, uninstall and status: print JSON.',
  },
} satisfies Readonly<Record<string, CommandOption>>;
export const CSV_OPTION: CommandOption = {
  type: 'boolean',
  excludes: ['json'],
  about: 'Print CSV with secrets redacted.',
};
export const RAW_OPTION: CommandOption = {
  type: 'boolean',
  needs: ['csv'],
  about: 'With --csv: do not redact secrets.',
};
export const NO_IMPORT_OPTION: CommandOption = {
  type: 'boolean',
  about: 'Use stored data; skip the import of new transcripts.',
};
/** Options of commands that can query a server; nothing on this machine is opened then. */
export const REMOTE_OPTIONS = {
  remote: { type: 'boolean', about: 'Use the configured server (serverUrl) instead of this machine.' },
  server: {
    type: 'string',
    value: 'URL',
    about: 'Use the fuel-code server at this URL, with the configured serverToken.',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;
/** The most rows that `--ndjson` prints, in pages. */
export const MAX_STREAMED_ROWS = 10_000;

/** The maximum number of rows, which may be larger with `--ndjson`. */
export function limitOption(what: string, standard: number, max: number, maxStreamed = max): CommandOption {
  const streamed = maxStreamed === max ? '' : `, ${maxStreamed} with --ndjson`;
  return {
    type: 'string',
    short: 'n',
    value: 'N',
    about: `Maximum number of ${what} (default ${standard}, at most ${max}${streamed}).`,
  };
}
/** Commands with this option use a pager on a terminal. */
export const NO_PAGER_OPTION: CommandOption = { type: 'boolean', about: 'Do not use a pager.' };

/** Options shared by many commands; they may also precede the name of the command. */
export const SHARED_OPTIONS: Readonly<Record<string, CommandOption>> = {
  json: JSON_OPTION,
  csv: CSV_OPTION,
  raw: RAW_OPTION,
  'no-import': NO_IMPORT_OPTION,
  'no-pager': NO_PAGER_OPTION,
  ...REMOTE_OPTIONS,
};

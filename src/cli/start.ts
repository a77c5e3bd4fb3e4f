import { findRunningServer, prepareDemo } from '../app/serving.ts';
import { type Config, OPTIONS } from '../config.ts';
import { type BackgroundLog, withBackgroundLog } from './background-log.ts';
import { createProgressBar, interrupted } from './catch-up.ts';
import {
  type Command,
  type CommandContext,
  type CommandOption,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { printNote } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { openSource, readOnlyFolder } from './source.ts';
import { paint } from './terminal.ts';

const PAGE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  port: {
    type: 'string',
    value: 'N',
    about: `Port (default: the setting port, ${OPTIONS.port.default}); if it is taken, the next free one is used.`,
  },
  'no-open': { type: 'boolean', about: 'Do not open the browser; only print the URL.' },
};

function readPageOptions({ loaded: { config } }: CommandContext, args: ParsedArguments) {
  return {
    port: readNumber(args, 'port', { min: 0, max: 65_535, otherwise: config.port }),
    opensBrowser: config.openBrowser && !args.flags.has('no-open'),
  };
}

export const startCommand: Command = {
  name: 'start',
  about: 'Import new sessions, start the web interface and open it in the browser.',
  isService: true,
  options: PAGE_OPTIONS,
  examples: [
    ['fuel-code', 'Same as fuel-code start.'],
    ['fuel-code start --port 8080 --no-open', 'Use another port and do not open the browser.'],
  ],
  run: (context, args) => servePage(context, readPageOptions(context, args)),
};

export interface PageOptions {
  readonly port: number;
  readonly opensBrowser: boolean;
  /** A configuration other than the user's own, for the demo. */
  readonly demoConfig?: Config;
  /** The path of the page to open first, for example /session/<id>. */
  readonly path?: string;
}

/** Serves until Ctrl-C. The URL is printed first because the page is usable while the import is still running. */
export async function servePage(context: CommandContext, options: PageOptions): Promise<void> {
  const config = { ...(options.demoConfig ?? context.loaded.config), port: options.port };
  const running = findRunningServer(config.home);
  if (running !== null && config.databaseUrl === null) {
    context.terminal.err('fuel-code is already running for this data folder; no second server was started.\n');
    return printAddress(context, withPath(running, options.path), options.opensBrowser);
  }
  await withBackgroundLog(context, { by: 'server', config }, (log) => serveUntilStopped(context, options, config, log));
}

async function serveUntilStopped(
  context: CommandContext,
  options: PageOptions,
  config: Config,
  { log, write }: BackgroundLog,
): Promise<void> {
  const { terminal, clock, signal } = context;
  const bar = createProgressBar(terminal, clock);
  await using serving = await context.serve({
    config,
    clock,
    log,
    isDemo: options.demoConfig !== undefined,
    onLog: write,
    onProgress: (progress) => (progress.phase === 'idle' ? bar.clear() : bar.show(progress)),
  });
  if (serving.isReadOnly) printNote(terminal, readOnlyFolder(config.home));
  await printAddress(context, withPath(serving.address, options.path), options.opensBrowser, ' Press Ctrl-C to stop.');
  const stopped = new Promise<'stopped'>((resolve) => {
    signal.addEventListener('abort', () => resolve('stopped'), { once: true });
    if (signal.aborted) resolve('stopped');
  });
  const first = await Promise.race([serving.firstRound, stopped, serving.moved]);
  bar.clear();
  if (first === 'stopped') throw interrupted('Interrupted during the import.');
  await Promise.race([stopped, serving.moved]);
}

function withPath(address: string, path: string | undefined): string {
  return path === undefined ? address : `${address}&to=${path}`;
}

async function printAddress(
  { terminal, openBrowser }: CommandContext,
  address: string,
  opensBrowser: boolean,
  more = '',
): Promise<void> {
  terminal.out(`fuel-code is running at ${paint(terminal, 'bold', address)}\n`);
  terminal.out(`This URL contains your access token; don't share it.${more}\n`);
  if (opensBrowser) await openBrowser(address);
}

export const openCommand: Command = {
  name: 'open',
  about: 'Start the web interface and open a session in it.',
  isService: true,
  operands: '<id or prefix>',
  minOperands: 1,
  maxOperands: 1,
  options: {
    ...PAGE_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code open 3f2a91c0', 'Read this session in the browser.'],
    ['fuel-code open 3f2a91c0 --no-open', 'Only print its URL.'],
  ],
  run: async (context, args) => {
    const options = readPageOptions(context, args);
    const { id, pageAddress } = await findPage(context, args);
    const path = `/session/${encodeURIComponent(id)}`;
    if (pageAddress === null) return servePage(context, { ...options, path });
    await printAddress(context, withPath(pageAddress, path), options.opensBrowser);
  },
};

async function findPage(context: CommandContext, args: ParsedArguments) {
  await using source = await openSource(context, args, 'rows');
  const { id } = await source.get('/sessions/:id', { params: { id: args.positionals[0] ?? '' } });
  return { id, pageAddress: source.pageAddress };
}

export const demoCommand: Command = {
  name: 'demo',
  about: 'Try fuel-code with sample sessions, kept in a separate data folder.',
  isService: true,
  options: PAGE_OPTIONS,
  examples: [['fuel-code demo', 'Explore fuel-code without your own sessions.']],
  run: async (context, args) => {
    const options = readPageOptions(context, args);
    const demoConfig = await prepareDemo(context.loaded.config, context.clock);
    await servePage(context, { ...options, demoConfig });
  },
};

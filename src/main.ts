import process from 'node:process';
import type { Command, CommandContext, ParsedArguments } from './cli/command.ts';
import { type CommandGroup, commandHelp, overview } from './cli/help.ts';
import { parseArguments, splitCommand } from './cli/parse-arguments.ts';
import { inColumns } from './cli/say.ts';
import { type StopSignals, watchStopSignals } from './cli/stop-signals.ts';
import { createTerminal, type Terminal } from './cli/terminal.ts';
import { configFileOf, type LoadedConfig, loadConfig } from './config.ts';
import { FuelError, fileReasonOf, toFuelError } from './domain/errors.ts';
import { systemClock } from './lib/clock.ts';
import { noteInterrupted } from './lib/interrupted.ts';
import { createLog } from './lib/log.ts';
import { nearest } from './lib/nearest.ts';
import { escapeJson, visible } from './lib/visible.ts';
import { VERSION } from './version.ts';

/** Every command in the order of the help, loaded only when it is called. */
export const COMMANDS = {
  start: {
    group: 'Sessions',
    about: 'Import new sessions and open the web interface (default).',
    load: () => import('./cli/start.ts'),
  },
  sessions: { group: 'Sessions', about: 'List sessions.', load: () => import('./cli/sessions.ts') },
  session: { group: 'Sessions', about: 'Show one session.', load: () => import('./cli/session.ts') },
  tail: { group: 'Sessions', about: 'Follow sessions while they run.', load: () => import('./cli/tail.ts') },
  open: { group: 'Sessions', about: 'Open a session in the browser.', load: () => import('./cli/open.ts') },
  tag: { group: 'Sessions', about: 'Show or change the tags of a session.', load: () => import('./cli/tag.ts') },
  note: { group: 'Sessions', about: 'Add, edit or remove notes on a session.', load: () => import('./cli/note.ts') },
  pin: { group: 'Sessions', about: 'Pin or unpin a session.', load: () => import('./cli/pin.ts') },
  workspaces: { group: 'Sessions', about: 'List workspaces.', load: () => import('./cli/workspaces.ts') },
  workspace: {
    group: 'Sessions',
    about: 'Show, rename or merge a workspace.',
    load: () => import('./cli/workspace.ts'),
  },
  demo: { group: 'Sessions', about: 'Try fuel-code with sample sessions.', load: () => import('./cli/demo.ts') },
  search: {
    group: 'Search and reports',
    about: 'Search the contents of all sessions.',
    load: () => import('./cli/search.ts'),
  },
  cost: { group: 'Search and reports', about: 'Show token usage and cost.', load: () => import('./cli/cost.ts') },
  stats: { group: 'Search and reports', about: 'Show key figures for a period.', load: () => import('./cli/stats.ts') },
  timeline: {
    group: 'Search and reports',
    about: 'Show activity day by day.',
    load: () => import('./cli/timeline.ts'),
  },
  tools: { group: 'Search and reports', about: 'Show which tools were called.', load: () => import('./cli/tools.ts') },
  files: {
    group: 'Search and reports',
    about: 'Show which files were read and written.',
    load: () => import('./cli/files.ts'),
  },
  share: {
    group: 'Sharing',
    about: 'Share a session with its secrets replaced.',
    load: () => import('./cli/share.ts'),
  },
  shares: { group: 'Sharing', about: 'List or revoke share links.', load: () => import('./cli/shares.ts') },
  hooks: {
    group: 'Capture',
    about: 'Install, remove or test the Claude Code hooks.',
    load: () => import('./cli/hooks.ts'),
  },
  'git-hooks': {
    group: 'Capture',
    about: 'Install git hooks that report commits immediately.',
    load: () => import('./cli/git-hooks.ts'),
  },
  backfill: {
    group: 'Capture',
    about: 'Import all transcripts and wait until they are stored.',
    load: () => import('./cli/backfill.ts'),
  },
  worker: { group: 'Capture', about: 'Watch transcripts and import changes.', load: () => import('./cli/worker.ts') },
  queue: { group: 'Capture', about: 'Inspect and process queued hook events.', load: () => import('./cli/queue.ts') },
  devices: {
    group: 'Capture',
    about: 'List and manage devices and their tokens.',
    load: () => import('./cli/devices.ts'),
  },
  status: {
    group: 'Maintenance',
    about: 'Show what is stored and what is pending.',
    load: () => import('./cli/status.ts'),
  },
  doctor: {
    group: 'Maintenance',
    about: 'Check the installation for problems.',
    load: () => import('./cli/doctor.ts'),
  },
  logs: { group: 'Maintenance', about: 'Show worker and server logs.', load: () => import('./cli/logs.ts') },
  config: { group: 'Maintenance', about: 'Show or change the configuration.', load: () => import('./cli/config.ts') },
  drift: {
    group: 'Maintenance',
    about: 'Show transcript content that fuel-code does not know.',
    load: () => import('./cli/drift.ts'),
  },
  verify: {
    group: 'Maintenance',
    about: 'Verify all archived data against its checksums.',
    load: () => import('./cli/verify.ts'),
  },
  restore: { group: 'Maintenance', about: 'Restore the files of a session.', load: () => import('./cli/restore.ts') },
  reparse: {
    group: 'Maintenance',
    about: 'Parse sessions again from the archive.',
    load: () => import('./cli/reparse.ts'),
  },
  recover: { group: 'Maintenance', about: 'Finish incomplete sessions.', load: () => import('./cli/recover.ts') },
  archive: {
    group: 'Maintenance',
    about: 'Remove the database rows of old sessions.',
    load: () => import('./cli/archive.ts'),
  },
  rebuild: {
    group: 'Maintenance',
    about: 'Rebuild the database from the archive.',
    load: () => import('./cli/rebuild.ts'),
  },
  completion: {
    group: 'Maintenance',
    about: 'Print shell completion scripts.',
    load: () => import('./cli/completion.ts'),
  },
} as const satisfies Record<string, { group: CommandGroup; about: string; load: () => Promise<{ command: Command }> }>;

const terminal = createTerminal(process.stdin, process.stdout, process.stderr, process.env);

/** Runs one command line and returns the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  process.stdout.on('error', stopAtOutputError);
  // There is nowhere left to report a failing stderr.
  process.stderr.on('error', () => {});
  const stop = watchStopSignals(process, (code) => {
    noteInterrupted();
    terminal.err('fuel-code: Interrupted. The next run continues where this one stopped.\n');
    process.exit(code);
  });
  try {
    const command = await find(words);
    if (command.isService === true) stop.runsService();
    await command.run(stop);
    return stop.exitCode() ?? 0;
  } catch (thrown) {
    const error = toFuelError(thrown);
    const lines = [`fuel-code: ${error.message}`, ...(error.hint ? [error.hint] : [])];
    for (const line of lines) terminal.err(`${inColumns(terminal, visible(line))}\n`);
    if (error.code === 'internal' && process.env.FUEL_CODE_DEBUG) terminal.err(`${visible(stackOf(thrown))}\n`);
    return error.code === 'interrupted' ? (stop.exitCode() ?? error.exitCode) : error.exitCode;
  }
}

/** A closed pipe (`| head`) is not an error; any other write error is, whatever the command did. */
function stopAtOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  const { why, hint } = fileReasonOf(error);
  const refusal = new FuelError('file_unavailable', `Could not write the output: ${why}.`, { hint });
  terminal.err(`fuel-code: ${refusal.message}\n${hint}\n`);
  process.exit(refusal.exitCode);
}

interface FoundCommand {
  readonly isService?: boolean | undefined;
  run(stop: StopSignals): Promise<void>;
}

/** The command named on the command line, ready to run. Errors: usage. */
async function find(words: readonly string[]): Promise<FoundCommand> {
  const shown = await helpOrVersion(words);
  if (shown !== null) return { run: async () => terminal.out(shown) };
  const [name, ...rest] = splitCommand(words);
  const command = await loadCommand(name);
  const args = parseArguments(command, rest);
  if (args === 'help') return { run: async () => terminal.out(commandHelp(command, terminal.columns)) };
  const run = (stop: StopSignals) =>
    isPaged(command, args)
      ? runPaged(command, args, stop)
      : command.run(createContext(safeFor(args), stop.signal), args);
  return { isService: command.isService, run };
}

/** `fuel-code version`, `help`, `help <command>` and their option forms; null for everything else. */
async function helpOrVersion([first, second]: readonly string[]): Promise<string | null> {
  if (first === 'version' || first === '--version' || first === '-v') return `${VERSION}\n`;
  if (first !== '--help' && first !== '-h' && first !== 'help') return null;
  if (second !== undefined && !second.startsWith('-')) return commandHelp(await loadCommand(second), terminal.columns);
  const list = Object.entries(COMMANDS).map(([name, { group, about }]) => ({ name, group, about }));
  return overview(list, terminal.columns);
}

async function runPaged(command: Command, args: ParsedArguments, stop: StopSignals): Promise<void> {
  const { createPagedTerminal } = await import('./cli/pager.ts');
  const paged = createPagedTerminal(terminal, process.env, stop.ignoreInterrupts);
  try {
    await command.run(createContext(paged, stop.signal), args);
  } finally {
    await paged.close();
  }
}

/** Only output for people is paged, never output for programs. */
function isPaged({ options }: Command, { flags }: ParsedArguments): boolean {
  if (!Object.hasOwn(options, 'no-pager') || !process.stdout.isTTY) return false;
  return !['no-pager', 'json', 'csv', 'export'].some((flag) => flags.has(flag));
}

async function loadCommand(name: string): Promise<Command> {
  if (Object.hasOwn(COMMANDS, name)) return (await COMMANDS[name as keyof typeof COMMANDS].load()).command;
  const [near] = nearest(name, Object.keys(COMMANDS));
  throw new FuelError('usage', `Unknown command ${JSON.stringify(name)}.`, {
    hint: `${near === undefined ? '' : `Did you mean \`${near}\`? `}Run \`fuel-code help\` for a list of commands.`,
  });
}

/**
 * JSON is always escaped, which does not change its meaning. CSV is made safe only on a terminal, so that programs get
 * it unchanged.
 */
function safeFor({ flags }: ParsedArguments): Terminal {
  if (flags.has('json') || flags.has('export')) return { ...terminal, out: (text) => terminal.out(escapeJson(text)) };
  const isSeen = flags.has('csv') && process.stdout.isTTY;
  return isSeen ? { ...terminal, out: (text) => terminal.out(visible(text.replaceAll('\r\n', '\n'))) } : terminal;
}

function createContext(shown: Terminal, signal: AbortSignal): CommandContext {
  // Loaded when first needed, so that `fuel-code config set` can repair a file that does not load.
  let cached: LoadedConfig | undefined;
  const load = () => {
    cached ??= loadConfig(process.env);
    return cached;
  };
  const createCommandLog = () => createLog({ level: load().config.logLevel, clock: systemClock, write: terminal.err });
  return {
    get loaded() {
      return load();
    },
    get log() {
      return createCommandLog();
    },
    configFile: configFileOf(process.env),
    terminal: shown,
    clock: systemClock,
    signal,
    listCommands: () => Promise.all(Object.values(COMMANDS).map(async ({ load }) => (await load()).command)),
    openBrowser: async (address) => {
      const { openBrowser } = await import('./cli/open-browser.ts');
      openBrowser(address, process.env);
    },
    serve: async (options) => {
      const { serve } = await import('./server/serve.ts');
      return serve(options);
    },
    deviceId: async () => {
      const { readDevice } = await import('./capture/device.ts');
      return readDevice(load().config.home)?.id ?? null;
    },
    openApp: async () => {
      const { openApp } = await import('./app/open-app.ts');
      return openApp({ config: load().config, clock: systemClock, log: createCommandLog() });
    },
  };
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

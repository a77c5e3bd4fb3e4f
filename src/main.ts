import process from 'node:process';
import type { Command, CommandContext, ParsedArguments } from './cli/command.ts';
import { commandHelp, overview } from './cli/help.ts';
import { parseArguments, splitCommand } from './cli/parse-arguments.ts';
import { inColumns } from './cli/say.ts';
import { type StopSignals, watchStopSignals } from './cli/stop-signals.ts';
import { createTerminal, type Terminal } from './cli/terminal.ts';
import { loadConfig } from './config.ts';
import { FuelError, fileReasonOf, toFuelError } from './domain/errors.ts';
import { systemClock } from './lib/clock.ts';
import { noteInterrupted } from './lib/interrupted.ts';
import { createLog } from './lib/log.ts';
import { nearest } from './lib/nearest.ts';
import { escapeJson, visible } from './lib/visible.ts';
import { VERSION } from './version.ts';

/** Every command, loaded only when it is called. */
export const COMMANDS = {
  start: {
    about: 'Import what is new and open the page (the same as no command).',
    load: () => import('./cli/start.ts'),
  },
  sessions: { about: 'List sessions.', load: () => import('./cli/sessions.ts') },
  session: { about: 'Show one session.', load: () => import('./cli/session.ts') },
  cost: { about: 'Tell what was used and what it cost.', load: () => import('./cli/cost.ts') },
  search: { about: 'Find sessions by what was said in them.', load: () => import('./cli/search.ts') },
  timeline: { about: 'Tell what happened, day by day.', load: () => import('./cli/timeline.ts') },
  stats: { about: 'Tell the figures of a time at a glance.', load: () => import('./cli/stats.ts') },
  tools: { about: 'Tell which tools were called.', load: () => import('./cli/tools.ts') },
  files: { about: 'Tell which files were read and written.', load: () => import('./cli/files.ts') },
  tail: { about: 'Follow sessions while they run.', load: () => import('./cli/tail.ts') },
  open: { about: 'Open a session in the browser.', load: () => import('./cli/open.ts') },
  workspaces: { about: 'List workspaces.', load: () => import('./cli/workspaces.ts') },
  workspace: { about: 'Show, rename or merge a workspace.', load: () => import('./cli/workspace.ts') },
  devices: { about: 'List the machines.', load: () => import('./cli/devices.ts') },
  'git-hooks': {
    about: 'Have a repository tell at once what happens in it.',
    load: () => import('./cli/git-hooks.ts'),
  },
  share: { about: 'Give a session to somebody else, without its secrets.', load: () => import('./cli/share.ts') },
  shares: { about: 'List links to shared pages, or take one back.', load: () => import('./cli/shares.ts') },
  tag: { about: 'Show or change the tags of a session.', load: () => import('./cli/tag.ts') },
  note: { about: 'Write down something about a session.', load: () => import('./cli/note.ts') },
  pin: { about: 'Pin a session.', load: () => import('./cli/pin.ts') },
  status: { about: 'Tell what is kept and whether anything waits.', load: () => import('./cli/status.ts') },
  drift: { about: 'Show what transcripts hold that fuel-code does not know.', load: () => import('./cli/drift.ts') },
  doctor: { about: 'Check that everything is in order.', load: () => import('./cli/doctor.ts') },
  backfill: { about: 'Import everything there is and wait for it.', load: () => import('./cli/backfill.ts') },
  verify: { about: 'Read every archived byte again and compare it.', load: () => import('./cli/verify.ts') },
  restore: { about: 'Write the files of a session back.', load: () => import('./cli/restore.ts') },
  reparse: { about: 'Derive sessions again from their archived bytes.', load: () => import('./cli/reparse.ts') },
  recover: { about: 'Finish what was left undone.', load: () => import('./cli/recover.ts') },
  archive: { about: 'Remove rows of old sessions that can be derived again.', load: () => import('./cli/archive.ts') },
  rebuild: { about: 'Derive everything again from the archive.', load: () => import('./cli/rebuild.ts') },
  hooks: { about: 'Install, remove or try the hooks of Claude Code.', load: () => import('./cli/hooks.ts') },
  queue: { about: 'Look into what the hooks have left.', load: () => import('./cli/queue.ts') },
  worker: { about: 'Follow the transcripts in the background.', load: () => import('./cli/worker.ts') },
  logs: { about: 'Show what the worker and the server wrote down.', load: () => import('./cli/logs.ts') },
  demo: { about: 'Show fuel-code on made-up sessions.', load: () => import('./cli/demo.ts') },
  config: { about: 'List all options.', load: () => import('./cli/config.ts') },
  completion: {
    about: 'Complete commands in the shell.',
    load: () => import('./cli/completion.ts'),
  },
} as const satisfies Record<string, { about: string; load: () => Promise<{ command: Command }> }>;

const terminal = createTerminal(process.stdin, process.stdout, process.stderr, process.env);

/** Runs one command line and gives the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  process.stdout.on('error', stopAtOutputError);
  // Nobody can be told that nobody can be told.
  process.stderr.on('error', () => {});
  const stop = watchStopSignals(process, (code) => {
    noteInterrupted();
    terminal.err('fuel-code: Stopped. The next run continues with what is unfinished.\n');
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

/** A reader that has seen enough is no error; output that is lost is one, whatever the command did. */
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

/** What the command line names, ready to run. Errors: usage. */
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

/** `fuel-code --version`, `--help`, `help` and `help <command>`; null for everything else. */
async function helpOrVersion([first, second]: readonly string[]): Promise<string | null> {
  if (first === '--version' || first === '-v') return `${VERSION}\n`;
  if (first !== '--help' && first !== '-h' && first !== 'help') return null;
  if (second !== undefined && !second.startsWith('-')) return commandHelp(await loadCommand(second), terminal.columns);
  const list = Object.entries(COMMANDS).map(([name, { about }]) => ({ name, about }));
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

/** What people read is paged; what programs read never is. */
function isPaged({ options }: Command, { flags }: ParsedArguments): boolean {
  if (!Object.hasOwn(options, 'no-pager') || !process.stdout.isTTY) return false;
  return !['no-pager', 'json', 'csv', 'export'].some((flag) => flags.has(flag));
}

async function loadCommand(name: string): Promise<Command> {
  if (Object.hasOwn(COMMANDS, name)) return (await COMMANDS[name as keyof typeof COMMANDS].load()).command;
  const [near] = nearest(name, Object.keys(COMMANDS));
  throw new FuelError('usage', `There is no command ${JSON.stringify(name)}.`, {
    hint: `${near === undefined ? '' : `Did you mean \`${near}\`? `}\`fuel-code --help\` lists the commands.`,
  });
}

/** Programs get texts as they are; only what would reach a terminal, or change no meaning, is made safe. */
function safeFor({ flags }: ParsedArguments): Terminal {
  if (flags.has('json') || flags.has('export')) return { ...terminal, out: (text) => terminal.out(escapeJson(text)) };
  const isSeen = flags.has('csv') && process.stdout.isTTY;
  return isSeen ? { ...terminal, out: (text) => terminal.out(visible(text.replaceAll('\r\n', '\n'))) } : terminal;
}

function createContext(shown: Terminal, signal: AbortSignal): CommandContext {
  const loaded = loadConfig(process.env);
  const log = createLog({ level: loaded.config.logLevel, clock: systemClock, write: terminal.err });
  return {
    loaded,
    log,
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
      return readDevice(loaded.config.home)?.id ?? null;
    },
    openApp: async () => {
      const { openApp } = await import('./app/open-app.ts');
      return openApp({ config: loaded.config, clock: systemClock, log });
    },
  };
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

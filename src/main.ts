import { realpathSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Command, CommandContext, ParsedArguments } from './cli/command.ts';
import { findCommand, loadCommands } from './cli/commands.ts';
import { commandHelp, exitCodesHelp, overview } from './cli/help.ts';
import { wrapLines } from './cli/output.ts';
import { parseArguments, serverWords, splitCommand } from './cli/parse-arguments.ts';
import { type StopSignals, watchStopSignals } from './cli/stop-signals.ts';
import { createTerminal, type Terminal } from './cli/terminal.ts';
import { configFileOf, type LoadedConfig, loadConfig } from './config.ts';
import { FuelError, fileReasonOf, toFuelError } from './domain/errors.ts';
import { trustTimezoneLink } from './lib/calendar.ts';
import { noteInterrupted } from './lib/data-folder.ts';
import { createLog } from './lib/log.ts';
import { escapeJson, visible } from './lib/terminal-text.ts';
import { systemClock } from './lib/timing.ts';
import { VERSION } from './version.ts';

const terminal = createTerminal(() => process.stdin, process.stdout, process.stderr, process.env);

/** Runs one command line and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  if (process.env.TZ === undefined) trustTimezoneLink();
  process.stdout.on('error', stopAtOutputError);
  // There is nowhere left to report a failing stderr.
  process.stderr.on('error', () => {});
  let isDone = false;
  const stop = watchStopSignals(process, (code) => {
    noteInterrupted();
    // Otherwise the command has said how it ended.
    if (!isDone) terminal.err('fuel-code: Interrupted. The next run continues where this one stopped.\n');
    process.exit(code);
  });
  try {
    await execute(argv, stop);
    return stop.exitCode() ?? 0;
  } catch (thrown) {
    const error = toFuelError(thrown);
    const hint = error.hint && (await aboutServer(error.hint, argv));
    const lines = [`fuel-code: ${error.message}`, ...(hint ? [hint] : [])];
    for (const line of lines) terminal.err(`${wrapLines(terminal, visible(line))}\n`);
    if (error.code === 'internal' && process.env.FUEL_CODE_DEBUG) terminal.err(`${visible(stackOf(thrown))}\n`);
    return error.code === 'interrupted' ? (stop.exitCode() ?? error.exitCode) : error.exitCode;
  } finally {
    isDone = true;
  }
}

/** The commands in a hint, for the server that the command line names. */
async function aboutServer(hint: string, argv: readonly string[]): Promise<string> {
  const where = serverWords(argv);
  if (where === '') return hint;
  const commands = (await loadCommands()).filter(({ options }) => Object.hasOwn(options, 'remote'));
  return hint.replaceAll(/`fuel-code ([\w-]+)([^`]*)`/g, (shown: string, name: string, rest: string) =>
    commands.some((command) => command.name === name) ? `\`fuel-code ${name}${rest} ${where}\`` : shown,
  );
}

/** A closed pipe (`| head`) is not an error; any other write error is, whatever the command did. */
function stopAtOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  const { why, hint } = fileReasonOf(error);
  const refusal = new FuelError('file_unavailable', `Could not write the output: ${why}.`, { hint });
  terminal.err(`fuel-code: ${refusal.message}\n${hint}\n`);
  process.exit(refusal.exitCode);
}

async function execute(argv: readonly string[], stop: StopSignals): Promise<void> {
  const command = await find(argv);
  if (command.isService === true) stop.runsService();
  await command.run(stop);
}

interface FoundCommand {
  readonly isService?: boolean | undefined;
  run(stop: StopSignals): Promise<void>;
}

/** The command named on the command line, ready to run. Errors: usage. */
async function find(argv: readonly string[]): Promise<FoundCommand> {
  const shown = await helpOrVersion(argv);
  if (shown !== null) return { run: async () => terminal.out(shown) };
  const [name, ...rest] = splitCommand(argv);
  const command = await findCommand(name);
  const args = parseArguments(command, rest);
  if (args === 'help') return { run: async () => terminal.out(commandHelp(command, terminal.columns)) };
  const run = (stop: StopSignals) =>
    isPaged(command, args) ? runPaged(command, args, stop) : command.run(createContext(safeFor(args), stop), args);
  return { isService: command.isService, run };
}

/** `fuel-code version`, `help`, `help <command>`, `help exit-codes` and their option forms; null for everything else. */
async function helpOrVersion([first, second]: readonly string[]): Promise<string | null> {
  if (first === 'version' || first === '--version' || first === '-v') return `${VERSION}\n`;
  if (first !== '--help' && first !== '-h' && first !== 'help') return null;
  if (second === 'exit-codes') return exitCodesHelp(terminal.columns);
  const isCommand = second !== undefined && !second.startsWith('-') && second !== 'help' && second !== 'version';
  if (isCommand) return commandHelp(await findCommand(second), terminal.columns);
  return overview(terminal.columns);
}

async function runPaged(command: Command, args: ParsedArguments, stop: StopSignals): Promise<void> {
  const { createPagedTerminal } = await import('./cli/external-programs.ts');
  const paged = createPagedTerminal(terminal, process.env, stop.ignoreInterrupts);
  try {
    await command.run(createContext(paged, stop), args);
  } finally {
    await paged.close();
  }
}

/** Only output for people is paged, never output for programs. */
function isPaged({ options }: Command, { flags, values }: ParsedArguments): boolean {
  if (!Object.hasOwn(options, 'no-pager') || !process.stdout.isTTY || values.has('export')) return false;
  return !['no-pager', 'json', 'ndjson', 'csv'].some((flag) => flags.has(flag));
}

const JSON_EXPORTS: ReadonlySet<string | undefined> = new Set(['json', 'parsed']);

/**
 * JSON is always escaped, which does not change its meaning. CSV and other exports are made safe only on a terminal, so
 * that programs get them unchanged.
 */
function safeFor({ flags, values }: ParsedArguments): Terminal {
  const isJson = flags.has('json') || flags.has('ndjson') || JSON_EXPORTS.has(values.get('export'));
  if (isJson) return { ...terminal, out: (text) => terminal.out(escapeJson(text)) };
  const isSeen = (flags.has('csv') || values.has('export')) && process.stdout.isTTY;
  return isSeen ? { ...terminal, out: (text) => terminal.out(visible(text.replaceAll('\r\n', '\n'))) } : terminal;
}

function createContext(shown: Terminal, stop: StopSignals): CommandContext {
  const { signal } = stop;
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
    listCommands: loadCommands,
    runCommand: (argv) => execute(argv, stop),
    runProgram: async (program) => {
      const { runProgram } = await import('./cli/external-programs.ts');
      stop.ignoreInterrupts();
      return runProgram({ ...program, env: { ...process.env, ...program.env } });
    },
    pick: async (list) => {
      const { pickAtKeyboard } = await import('./cli/pick/prompt.ts');
      const { stdin: input, stderr: output } = process;
      return pickAtKeyboard(list, { input, output, terminal, signal });
    },
    readInput: () => process.stdin,
    openBrowser: async (address) => {
      const { openBrowser } = await import('./cli/external-programs.ts');
      openBrowser(address, process.env);
    },
    serve: async (options) => {
      const { serve } = await import('./server/serve.ts');
      return serve(options);
    },
    printStatusLine: async (format) => (await import('./statusline.ts')).printStatusLine(format, process.env),
    serveMcp: async ({ isRaw, open }) => {
      const [{ serveMcp }, { NO_REDACTION, openRedaction }] = await Promise.all([
        import('./mcp/server.ts'),
        import('./app/redaction.ts'),
      ]);
      const redaction = isRaw ? NO_REDACTION : openRedaction(load().config);
      const { stdin: input, stdout: output } = process;
      await serveMcp({ input, output, signal, open, redaction, clock: systemClock, folder: process.cwd() });
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

// `bin/fuel-code` calls main itself; this is for `node src/main.ts`.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  void runDirectly();
}

async function runDirectly(): Promise<void> {
  process.exitCode = await main(process.argv.slice(2));
}

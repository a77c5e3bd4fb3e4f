import { fstatSync, writeSync } from 'node:fs';
import process from 'node:process';
import { readStdin } from './app/statusline/read-stdin.ts';
import { makeStatusLine } from './app/statusline/status-line.ts';
import { type Config, loadConfig } from './config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `fuel-code statusline` in a separate file, which `bin/fuel-code` loads instead of the whole program: the client waits for
 * it after every answer. `loadProgram` loads everything that is not in this file.
 */
export async function main(
  argv: readonly string[],
  env: Environment,
  loadProgram: () => { main(argv: readonly string[]): Promise<number> },
): Promise<number> {
  // The driver of PostgreSQL is part of the program.
  if (readConfig(env)?.databaseUrl) return loadProgram().main(argv);
  const [, option, format] = argv;
  await printStatusLine(option === '--format' ? (format ?? null) : null, env);
  return 0;
}

/** Reads standard input and prints the status line. Never fails: unavailable values are omitted. */
export async function printStatusLine(format: string | null, env: Environment): Promise<void> {
  const { NO_COLOR, TERM, COLUMNS } = env;
  const line = await makeStatusLine(await readStdin(process.stdin), {
    config: readConfig(env),
    format,
    // The client reads the line from a pipe and shows its colors.
    hasColor: !NO_COLOR && TERM !== 'dumb',
    columns: columnsOf(COLUMNS),
    now: new Date(),
  });
  write(`${line}\n`);
}

function readConfig(env: Environment): Config | null {
  try {
    return loadConfig(env).config;
  } catch {
    // `fuel-code config` says what is wrong with it.
    return null;
  }
}

function columnsOf(given: string | undefined): number | null {
  const columns = Number(given);
  if (Number.isInteger(columns) && columns > 0) return columns;
  // The stream is loaded only for a terminal.
  return isTerminal() ? process.stdout.columns : null;
}

function isTerminal(): boolean {
  try {
    return fstatSync(1).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Without a stream, which would have to be loaded. */
function write(text: string): void {
  try {
    writeSync(1, text);
  } catch {
    // The client no longer reads.
  }
}

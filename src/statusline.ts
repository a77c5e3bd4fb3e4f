import { fstatSync, writeSync } from 'node:fs';
import process from 'node:process';
import type { ReadStream } from 'node:tty';
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

/** The client writes its input immediately. */
const MAX_WAIT_MS = 500;
/** The client's input is a few kilobytes. */
const MAX_CHARS = 1024 * 1024;

type Input = Pick<ReadStream, 'isTTY' | 'on' | 'setEncoding' | 'destroy'>;

/** Reads standard input until it ends; after the timeout, returns what has arrived. Never fails. */
async function readStdin(stdin: Input): Promise<string> {
  if (stdin.isTTY) return '';
  return new Promise((resolve) => {
    let text = '';
    const finish = () => {
      clearTimeout(timer);
      stdin.destroy();
      resolve(text);
    };
    const timer = setTimeout(finish, MAX_WAIT_MS);
    stdin.setEncoding('utf8');
    stdin.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_CHARS) finish();
    });
    stdin.on('end', finish);
    stdin.on('error', finish);
  });
}

import process from 'node:process';
import type { Config } from '../config.ts';
import { type ErrorCode, toFuelError } from '../domain/errors.ts';
import { type HeldFolder, holdFolder } from '../lib/data-folder.ts';
import { appendLogLine, createLog, type Log, type LogOptions, logFolder } from '../lib/log.ts';
import { makePrivateFolder } from '../lib/private-file.ts';
import type { CommandContext } from './command.ts';

export interface BackgroundLog {
  readonly log: Log;
  /** Writes lines that were formatted elsewhere, for example in a thread. */
  readonly write: (line: string) => void;
}

interface BackgroundProcess {
  readonly by: 'worker' | 'server';
  readonly config: Config;
}

const EXPECTED: ReadonlySet<ErrorCode> = new Set(['usage', 'bad_config', 'interrupted']);

/**
 * Runs a background process. Its log, including the reason why it stopped, is also written to the data folder because
 * its terminal output may be lost.
 */
export async function withBackgroundLog<T>(
  { terminal, clock }: CommandContext,
  { by, config }: BackgroundProcess,
  work: (log: BackgroundLog) => Promise<T>,
): Promise<T> {
  const { createLogCleaner } = await import('../app/outbound.ts');
  const clean = createLogCleaner(config);
  const options = { level: config.logLevel, clock, speaker: { by, pid: process.pid }, clean };
  const file = openFileLog(logFolder(config.home), options, holdIfThere(config.home));
  const write = (line: string) => {
    terminal.err(line);
    file.write(line);
  };
  const logFailure = (thrown: unknown) => {
    const { code, message, hint } = toFuelError(thrown);
    // Wrong usage and Ctrl-C are not failures of the program.
    if (EXPECTED.has(code)) return;
    file.log.error(`the ${by} stopped because of an error`, { error: message, code, hint });
  };
  process.on('uncaughtExceptionMonitor', logFailure);
  try {
    return await work({ log: createLog({ ...options, write }), write });
  } catch (error) {
    logFailure(error);
    throw error;
  } finally {
    process.off('uncaughtExceptionMonitor', logFailure);
  }
}

/** Null when the data folder cannot be created; opening it later reports the reason. */
function holdIfThere(home: string): HeldFolder | null {
  try {
    makePrivateFolder(home);
    return holdFolder(home);
  } catch {
    return null;
  }
}

/**
 * A failing log must not stop the work: the number of missing lines is logged once writing succeeds again. Nothing is
 * written when another folder has taken its path.
 */
function openFileLog(folder: string, options: Omit<LogOptions, 'write'>, held: HeldFolder | null): BackgroundLog {
  let missed = 0;
  const write = (line: string): void => {
    if (held?.isSame() === false) return;
    try {
      appendLogLine(folder, line);
    } catch {
      missed++;
      return;
    }
    const lines = missed;
    missed = 0;
    if (lines > 0) log.warn('the log was temporarily not writable', { lines });
  };
  const log = createLog({ ...options, write });
  return { log, write };
}

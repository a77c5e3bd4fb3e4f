import type { EventEmitter } from 'node:events';
import { FuelError } from '../domain/errors.ts';

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type StopSignalName = keyof typeof EXIT_CODES;

/** Time for an orderly exit; the process exits afterwards in any case. The next run finishes incomplete work. */
const ORDERLY_MS = 900;
/** F16: a service may take longer because no user is waiting for it. */
const SERVICE_ORDERLY_MS = 10_000;

export interface StopSignals {
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP. Its reason is the error of a command that has no better one. */
  readonly signal: AbortSignal;
  /**
   * By convention 128 plus the number of the signal; F16: 0 for a service stopped by SIGTERM. Null if no signal was
   * received.
   */
  exitCode(): number | null;
  /** The command is a service, which is stopped by SIGTERM. */
  runsService(): void;
  /** Ignores Ctrl-C from now on because another program handles it, for example the pager. */
  ignoreInterrupts(): void;
}

/**
 * Exits in an orderly way on the first signal, and immediately on the second or when the orderly exit takes too long.
 */
export function watchStopSignals(process: EventEmitter, exit: (code: number) => void): StopSignals {
  const stop = new AbortController();
  let received: number | null = null;
  let isIgnoring = false;
  let isService = false;
  const exitCode = () => (isService && received === EXIT_CODES.SIGTERM ? 0 : received);
  const onSignal = (name: StopSignalName) => {
    if (isIgnoring && name === 'SIGINT') return;
    if (received !== null) return exit(received);
    received = EXIT_CODES[name];
    const isPatient = isService && name === 'SIGTERM';
    setTimeout(() => exit(exitCode() ?? 0), isPatient ? SERVICE_ORDERLY_MS : ORDERLY_MS).unref();
    stop.abort(new FuelError('interrupted', 'Interrupted before the command was done.', { hint: 'Run it again.' }));
  };
  for (const name of Object.keys(EXIT_CODES) as StopSignalName[]) process.on(name, () => onSignal(name));
  return {
    signal: stop.signal,
    exitCode,
    runsService: () => {
      isService = true;
    },
    ignoreInterrupts: () => {
      isIgnoring = true;
    },
  };
}

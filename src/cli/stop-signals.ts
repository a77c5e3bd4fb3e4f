import type { EventEmitter } from 'node:events';

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type StopSignalName = keyof typeof EXIT_CODES;

/** What a command needs for an orderly end; after this it ends anyway. Whatever is unfinished is done by the next run. */
const ORDERLY_MS = 900;

export interface StopSignals {
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** By convention 128 plus the number of the signal; F16: 0 for a service ended by SIGTERM. Null when none came. */
  exitCode(isService: boolean): number | null;
  /** From now on Ctrl-C is for somebody else, for example the pager on the screen. */
  ignoreInterrupts(): void;
}

/** Ends the command in order at the first signal, and at once at the second or when the orderly end takes too long. */
export function watchStopSignals(process: EventEmitter, exit: (code: number) => void): StopSignals {
  const stop = new AbortController();
  let received: number | null = null;
  let isIgnoring = false;
  const onSignal = (name: StopSignalName) => {
    if (isIgnoring && name === 'SIGINT') return;
    if (received !== null) return exit(received);
    received = EXIT_CODES[name];
    const code = received;
    setTimeout(() => exit(code), ORDERLY_MS).unref();
    stop.abort();
  };
  for (const name of Object.keys(EXIT_CODES) as StopSignalName[]) process.on(name, () => onSignal(name));
  return {
    signal: stop.signal,
    exitCode: (isService) => (isService && received === EXIT_CODES.SIGTERM ? 0 : received),
    ignoreInterrupts: () => {
      isIgnoring = true;
    },
  };
}

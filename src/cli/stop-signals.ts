import type { EventEmitter } from 'node:events';

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type StopSignalName = keyof typeof EXIT_CODES;

/** What a command needs for an orderly end; after this it ends anyway. Whatever is unfinished is done by the next run. */
const ORDERLY_MS = 900;
/** F16: nobody waits at a keyboard for the end of a service. */
const SERVICE_ORDERLY_MS = 10_000;

export interface StopSignals {
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** By convention 128 plus the number of the signal; F16: 0 for a service ended by SIGTERM. Null when none came. */
  exitCode(): number | null;
  /** What runs is a service: SIGTERM is how it ends. */
  runsService(): void;
  /** From now on Ctrl-C is for somebody else, for example the pager on the screen. */
  ignoreInterrupts(): void;
}

/** Ends the command in order at the first signal, and at once at the second or when the orderly end takes too long. */
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
    stop.abort();
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

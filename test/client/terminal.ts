import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { vi } from 'vitest';

/** A guard against hangs, not a time limit. */
export const HANG_MS = 10 * 60_000;

/**
 * The client in a terminal, as a person uses it. Its files show what it did; the screen only shows that it accepts input.
 */
export interface Terminal extends AsyncDisposable {
  /** Types a line once the client is idle, and presses Enter once the client has shown it. */
  type(line: string): Promise<void>;
  /** Waits until the client has drawn these words after the last typed line. */
  shown(words: string): Promise<void>;
  /** Waits until the client has exited and returns its exit code. */
  left(): Promise<number | null>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The client draws the whole screen every time, so that it shows whether the client is busy. */
  readonly redraws: boolean;
}

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** The client draws with cursor movements, so only letters and digits are compared. */
const lettersOf = (output: string) => stripVTControlCharacters(output).replace(/\s/g, '');

/** The hint of a busy client, and the last line of each screen. */
const [BUSY, END] = ['esctointerrupt', 'bypasspermissionson'];

/** A whole screen without the hint follows the one that had it. */
function isIdle(output: string): boolean {
  const letters = lettersOf(output);
  const busyAt = letters.lastIndexOf(BUSY);
  return busyAt < 0 || letters.slice(busyAt).split(END).length > 2;
}

export function openTerminal(words: readonly string[], { cwd, env, redraws }: TerminalOptions): Terminal {
  const command = `stty cols 120 rows 40; exec ${words.map(quote).join(' ')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece));
  // It exited before the last key arrived.
  child.stdin.on('error', () => undefined);
  let isGone = false;
  let typedAt = 0;
  const gone = once(child, 'close').then(() => (isGone = true));
  const until = (isTrue: () => boolean, what: string) =>
    vi.waitFor(
      () => {
        if (!isTrue()) throw new Error(`${what}:\n${stripVTControlCharacters(output).slice(-3_000)}`);
      },
      { timeout: HANG_MS, interval: 50 },
    );
  const shown = (words: string) =>
    until(() => lettersOf(output.slice(typedAt)).includes(lettersOf(words)), `The client does not show ${words}`);
  return {
    type: async (line) => {
      if (redraws) await until(() => isIdle(output), 'The client is busy');
      typedAt = output.length;
      child.stdin.write(line);
      await shown(line);
      child.stdin.write('\r');
    },
    shown,
    left: async () => {
      await until(() => isGone, 'The client does not leave');
      return child.exitCode;
    },
    [Symbol.asyncDispose]: async () => {
      // The client exits when its terminal is closed.
      child.kill('SIGKILL');
      await gone;
    },
  };
}

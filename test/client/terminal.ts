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
  /** Types a line, and presses Enter once the client has shown it. */
  type(line: string): Promise<void>;
  /** Waits until the client has exited and returns its exit code. */
  left(): Promise<number | null>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** The client draws with cursor movements, so only letters and digits are compared. */
const lettersOf = (output: string) => stripVTControlCharacters(output).replace(/\s/g, '');

export function openTerminal(words: readonly string[], { cwd, env }: TerminalOptions): Terminal {
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
  const gone = once(child, 'close').then(() => (isGone = true));
  const until = (isTrue: () => boolean, what: string) =>
    vi.waitFor(
      () => {
        if (!isTrue()) throw new Error(`${what}:\n${stripVTControlCharacters(output).slice(-3_000)}`);
      },
      { timeout: HANG_MS, interval: 50 },
    );
  return {
    type: async (line) => {
      const from = output.length;
      child.stdin.write(line);
      const isShown = () => lettersOf(output.slice(from)).includes(lettersOf(line));
      await until(isShown, `The client does not show ${line}`);
      child.stdin.write('\r');
    },
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

import { spawn } from 'node:child_process';
import { baseEnv } from './processes.ts';
import { LAUNCHER } from './run-program.ts';

export interface PtyRun {
  readonly code: number | null;
  /** Everything written to the terminal, as one stream. */
  readonly output: string;
}

export interface PtyOptions {
  readonly columns: number;
  readonly env: Readonly<Record<string, string>>;
  /** Press Ctrl-C once this text has appeared. */
  readonly until?: RegExp;
  /** Keys to press, each once a text has appeared since the previous keys. */
  readonly keys?: readonly (readonly [seen: RegExp, keys: string])[];
}

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** The built program in a pseudo-terminal with this many columns. */
export function runInPty(args: readonly string[], { columns, env, until, keys = [] }: PtyOptions): Promise<PtyRun> {
  const words = [process.execPath, LAUNCHER, ...args].map(quote).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 24 -echo; exec ${words}`, '/dev/null'], {
    env: { ...baseEnv(), HOME: '/nonexistent', TERM: 'xterm-256color', PAGER: 'cat', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  let fresh = '';
  const waiting = [...keys, ...(until === undefined ? [] : [[until, '\u0003'] as const])];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    fresh += chunk;
    const [next] = waiting;
    if (next === undefined || !next[0].test(fresh)) return;
    waiting.shift();
    fresh = '';
    child.stdin.write(next[1]);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      child.stdin.destroy();
      resolve({ code, output });
    });
  });
}

import { spawn } from 'node:child_process';
import { LAUNCHER } from './run-program.ts';

export interface PtyRun {
  readonly code: number | null;
  /** Everything written to the terminal, as one stream. */
  readonly output: string;
}

export interface PtyOptions {
  readonly columns: number;
  readonly env: Readonly<Record<string, string>>;
  /** Press Ctrl-C once this text has been seen. */
  readonly until?: RegExp;
}

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** The built program in a pseudo-terminal with this many columns. */
export function runInPty(args: readonly string[], { columns, env, until }: PtyOptions): Promise<PtyRun> {
  const words = [process.execPath, LAUNCHER, ...args].map(quote).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 24 -echo; exec ${words}`, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TERM: 'xterm-256color', PAGER: 'cat', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  let isDone = until === undefined;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (isDone || !until?.test(output)) return;
    isDone = true;
    child.stdin.write('\u0003');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      child.stdin.destroy();
      resolve({ code, output });
    });
  });
}

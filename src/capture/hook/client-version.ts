import { execFile } from 'node:child_process';

const TIMEOUT_MS = 5_000;

/** The version of the installed `claude`; null when it is missing or prints no version. */
export function readClientVersion(): Promise<string | null> {
  return new Promise((resolve) => {
    execFile('claude', ['--version'], { timeout: TIMEOUT_MS }, (_error, stdout) => {
      resolve(/^(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null);
    });
  });
}

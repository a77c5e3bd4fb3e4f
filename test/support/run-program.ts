import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const LAUNCHER = fileURLToPath(new URL('../../bin/fuel-code', import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly launcher?: string;
  readonly cwd?: string;
}

/** The built program as a separate process with its own environment. */
export function startProgram(args: readonly string[], { env = {}, launcher = LAUNCHER, cwd }: RunOptions = {}) {
  return spawn(process.execPath, [launcher, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

export function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = startProgram(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

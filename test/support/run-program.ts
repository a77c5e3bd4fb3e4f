import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { baseEnv } from './processes.ts';

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
    env: { ...baseEnv(), HOME: '/nonexistent', CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

export function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return outcomeOf(startProgram(args, options));
}

/** The same with text on standard input; null leaves it open. */
export function runWithInput(args: readonly string[], input: string | null, env: Record<string, string>): Promise<Run> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    env: { ...baseEnv(), HOME: '/nonexistent', ...env },
  });
  // The program may exit without reading all of it.
  child.stdin.on('error', () => {});
  if (input !== null) child.stdin.end(input);
  return outcomeOf(child);
}

function outcomeOf(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Promise<Run> {
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

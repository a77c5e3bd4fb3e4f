import { execFileSync } from 'node:child_process';
import process from 'node:process';

export interface OnceResult {
  readonly ms: number;
  readonly bytes: number;
  readonly maxRssBytes: number;
}

/** Runs a bundled `*-once` program and parses its output. */
export function runOnce<Result extends OnceResult = OnceResult>(program: string, ...args: readonly string[]): Result {
  return JSON.parse(execFileSync(process.execPath, [program, ...args]).toString()) as Result;
}

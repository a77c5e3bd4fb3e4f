import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hookPaths, type Launcher } from '../../src/capture/hook/hook-files.ts';
import { hookCommand } from '../../src/capture/hook/hook-script.ts';
import { installHooks } from '../../src/capture/hook/install.ts';
import { systemClock } from '../../src/lib/timing.ts';

const run = promisify(execFile);

export const isRoot = process.getuid?.() === 0;

/** The payload of the client when a session ends. */
export const PAYLOAD = JSON.stringify({
  session_id: '3f2a91c0-1111-4222-8333-444455556666',
  transcript_path: '/home/ada/.claude/projects/-home-ada-shop/3f2a91c0-1111-4222-8333-444455556666.jsonl',
  cwd: '/home/ada/shop',
  hook_event_name: 'SessionEnd',
  reason: 'other',
});

export interface Fired {
  readonly code: number | null;
  readonly signal: string | null;
  /** Its output on stdout and stderr. */
  readonly output: string;
}

export interface HookHome extends Disposable {
  /** The data folder. */
  readonly path: string;
  readonly claudeHome: string;
  readonly spool: string;
  /** The installed hook command. */
  readonly command: string;
  /** Names of the files stored by hooks, in order. */
  names(): string[];
  texts(): string[];
  /** Names of files that were started but neither finished nor removed. */
  temporaries(): string[];
}

/** Without a launcher from the test, no worker can be started. */
const NO_LAUNCHER: Launcher = { node: '/nonexistent/node', program: '/nonexistent/fuel-code' };

/** A temporary data folder and Claude home with the hooks installed. */
export function createHookHome(launcher = NO_LAUNCHER): HookHome {
  const root = mkdtempSync(join(tmpdir(), 'fuel-code-hook-'));
  // A name that breaks careless scripts.
  const path = join(root, `data 'of" $HOME`);
  const claudeHome = join(root, 'claude');
  installHooks({ home: path, claudeHome, clock: systemClock }, launcher, '2.1.325');
  const spool = join(path, 'spool');
  const list = () => {
    try {
      return readdirSync(spool).sort();
    } catch {
      return [];
    }
  };
  const names = () => list().filter((name) => name.endsWith('.json'));
  return {
    path,
    claudeHome,
    spool,
    command: hookCommand(hookPaths(path).script),
    names,
    texts: () => names().map((name) => readFileSync(join(spool, name), 'utf8')),
    temporaries: () => list().filter((name) => name.startsWith('.t.')),
    // A background child of a hook may still be writing its last file.
    [Symbol.dispose]: () => rmSync(root, { recursive: true, maxRetries: 50, retryDelay: 100 }),
  };
}

export interface FireOptions {
  readonly env?: Record<string, string>;
  readonly shell?: readonly string[];
  /** A wrapper command, for example strace with its arguments. */
  readonly under?: readonly string[];
}

/** Runs a command line as Claude Code runs a hook, and waits until its output is closed by all holders. */
export function fire(
  command: string,
  payload: string | Uint8Array = PAYLOAD,
  { env = {}, shell = ['/bin/sh'], under = [] }: FireOptions = {},
): Promise<Fired> {
  const [program, ...words] = [...under, ...shell, '-c', command];
  const child = spawn(program ?? '', words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += String(piece)));
  child.stdin.on('error', () => {});
  child.stdin.end(payload);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, output }));
  });
}

export const QUIET: Fired = { code: 0, signal: null, output: '' };

/** The error if a program does not run here, else null. */
export async function whyNot(program: string, ...words: string[]): Promise<string | null> {
  return run(program, words).then(
    () => null,
    (error: Error) => error.message.trim(),
  );
}

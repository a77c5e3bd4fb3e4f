import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hookPaths, type Launcher } from '../../src/capture/hook/hook-files.ts';
import { hookCommand } from '../../src/capture/hook/hook-script.ts';
import { installHooks } from '../../src/capture/hook/install.ts';
import { systemClock } from '../../src/lib/clock.ts';

const run = promisify(execFile);

export const isRoot = process.getuid?.() === 0;

/** What the client sends when a session ends. */
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
  /** Everything that came out of it, on either way. */
  readonly output: string;
}

export interface HookHome extends Disposable {
  /** The data folder. */
  readonly path: string;
  readonly claudeHome: string;
  readonly spool: string;
  /** The installed command line. */
  readonly command: string;
  /** Names of what hooks have stored, in order. */
  names(): string[];
  texts(): string[];
  /** Names of what was begun and neither finished nor removed. */
  temporaries(): string[];
}

/** No worker can be started unless a test brings one along. */
const NO_LAUNCHER: Launcher = { node: '/nonexistent/node', program: '/nonexistent/fuel-code' };

/** A data folder and a Claude home of a test's own, with the hooks installed. */
export function createHookHome(launcher = NO_LAUNCHER): HookHome {
  const root = mkdtempSync(join(tmpdir(), 'fuel-code-hook-'));
  // A name that a careless script would stumble over.
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
    // A hook's child in the background may still be writing its last note.
    [Symbol.dispose]: () => rmSync(root, { recursive: true, maxRetries: 50, retryDelay: 100 }),
  };
}

export interface FireOptions {
  readonly env?: Record<string, string>;
  readonly shell?: readonly string[];
  /** What runs it all, for example strace with its words. */
  readonly under?: readonly string[];
}

/** Runs a command line as Claude Code runs a hook, and waits until nobody holds its output any more. */
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

/** Waits for a condition; hooks finish in the background. */

/** The reason when a program does not run here. */
export async function whyNot(program: string, ...words: string[]): Promise<string | null> {
  return run(program, words).then(
    () => null,
    (error: Error) => error.message.trim(),
  );
}

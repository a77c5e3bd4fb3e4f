import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, platform } from 'node:os';
import { delimiter, join } from 'node:path';
import { FuelError } from '../domain/errors.ts';
import type { Terminal } from './terminal.ts';

/** A terminal whose output goes through a pager. */
interface PagedTerminal extends Terminal {
  /** Resolves when the user leaves the pager. */
  close(): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Exit at once if everything fits on the screen, show our colors, and leave the text on the screen. */
const LESS = 'FRX';

/**
 * Pages output through $PAGER or `less`; `cat`, an empty $PAGER or a system without a pager leave the terminal
 * unchanged. The pager starts with the first output, so that a progress bar before it has the screen to itself.
 */
export function createPagedTerminal(terminal: Terminal, env: Env, onStart: () => void): PagedTerminal {
  const pager = choosePager(env);
  if (pager === null) return { ...terminal, close: async () => {} };
  let running: ReturnType<typeof startPager> | null = null;
  return {
    ...terminal,
    out: (text) => {
      if (running === null) {
        running = startPager(pager, env);
        onStart();
      }
      running.write(text);
    },
    // Shown in order below the output it refers to, not above it on another screen.
    err: (text) => (running === null ? terminal.err(text) : running.write(text)),
    close: async () => running?.close(),
  };
}

function choosePager(env: Env): string | null {
  const named = env.PAGER;
  if (named !== undefined) return ['', 'cat'].includes(named.trim()) ? null : named;
  const isThere = (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, 'less')));
  return isThere ? 'less' : null;
}

function startPager(pager: string, env: Env) {
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { LESS, ...env } });
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve());
    child.on('close', () => resolve());
  });
  // Leaving the pager early closes its stdin; the remaining output is dropped.
  child.stdin.on('error', () => {});
  return {
    write: (text: string) => void (child.stdin.writable && child.stdin.write(text)),
    close: () => {
      child.stdin.end();
      return ended;
    },
  };
}

export interface ExternalProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string | null;
  readonly env: Env;
}

/** Errors: not_found when the program or its folder does not exist. */
export function runProgram({ program, args, folder, env }: ExternalProgram): Promise<number> {
  if (folder !== null && !existsSync(folder)) {
    throw new FuelError('not_found', `The folder ${folder} no longer exists.`, {
      hint: 'Create it, or use `fuel-code restore ID --project DIR` to continue in another folder.',
    });
  }
  const child = spawn(program, args, { stdio: 'inherit', cwd: folder ?? undefined, env });
  return new Promise((resolve, reject) => {
    child.on('error', () =>
      reject(new FuelError('not_found', `Could not start \`${program}\`.`, { hint: 'Is it installed and in PATH?' })),
    );
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  });
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/** Opens a URL in the browser if there is a screen; never waits and never fails. */
export function openBrowser(address: string, env: Readonly<Record<string, string | undefined>>): void {
  const opener = OPENERS[platform()];
  const hasScreen = platform() !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (!opener || !hasScreen || env.SSH_CONNECTION || env.CI) return;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
  // The URL is printed as well, so a missing opener does no harm.
  child.on('error', () => {});
  child.unref();
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Terminal } from './terminal.ts';

/** A terminal whose output is shown page by page. */
export interface PagedTerminal extends Terminal {
  /** Settles when the person has seen enough. */
  close(): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Leaves at once when all fits on the screen, shows our colours, and leaves the text where it is. */
const LESS = 'FRX';

/**
 * Shows through $PAGER, else `less`; `cat`, an empty $PAGER or a system without one leave the terminal as it is. The
 * pager starts with the first output, so that a progress bar before it has the screen for itself.
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
    // Below what it is about, not above it on another screen.
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
  // Whoever leaves the pager early has seen enough: the rest has nowhere to go.
  child.stdin.on('error', () => {});
  return {
    write: (text: string) => void (child.stdin.writable && child.stdin.write(text)),
    close: () => {
      child.stdin.end();
      return ended;
    },
  };
}

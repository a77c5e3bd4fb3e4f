import { type FSWatcher, watch } from 'node:fs';

export interface Follower {
  /** Settles when something changed, when the time is up, or when the signal says stop. */
  next(timeoutMs: number): Promise<'changed' | 'timeout' | 'stopped'>;
  /** How changes are noticed; said by `status`. */
  readonly mode: 'watching' | 'polling';
  close(): void;
}

/** Changes come in bursts: wait until the folders have been still for a moment before reading them. */
const SETTLE_MS = 200;
export const POLL_MS = 30_000;

type Watch = (path: string, options: { recursive: true; persistent: false }, onChange: () => void) => FSWatcher;

/**
 * Waits for changes below some folders. C21: where the system has no watches left, or none at all, it looks every 30
 * seconds instead; a watch is a hint in any case, since whoever is woken compares the files themselves.
 */
export function follow(folders: readonly string[], signal: AbortSignal, watchFolder: Watch = watch): Follower {
  let wake: () => void = () => {};
  let hasChanged = false;
  const onChange = () => {
    hasChanged = true;
    wake();
  };
  const watchers = watchAll(folders, onChange, watchFolder);
  return {
    mode: watchers.length === folders.length ? 'watching' : 'polling',
    next: async (timeoutMs) => {
      const limitMs = watchers.length === folders.length ? timeoutMs : Math.min(timeoutMs, POLL_MS);
      if (!hasChanged) await waitFor(limitMs, signal, (resolve) => (wake = resolve));
      if (signal.aborted) return 'stopped';
      if (!hasChanged) return 'timeout';
      await waitFor(SETTLE_MS, signal, () => {});
      hasChanged = false;
      return signal.aborted ? 'stopped' : 'changed';
    },
    close: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}

function watchAll(folders: readonly string[], onChange: () => void, watchFolder: Watch): FSWatcher[] {
  const watchers: FSWatcher[] = [];
  for (const folder of folders) {
    try {
      const watcher = watchFolder(folder, { recursive: true, persistent: false }, onChange);
      // A watch that breaks later is only a hint lost: the next look finds what it would have told.
      watcher.on('error', onChange);
      watchers.push(watcher);
    } catch {
      // ENOSPC or ENOENT: this folder is polled; `mode` says so.
    }
  }
  return watchers;
}

function waitFor(limitMs: number, signal: AbortSignal, onReady: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, limitMs);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
    else onReady(done);
  });
}

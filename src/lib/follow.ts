import { existsSync, type FSWatcher, watch } from 'node:fs';

/** `polling`: a folder cannot be watched, because it does not exist or the system has no file watches left. */
export type WorkerMode = 'watching' | 'polling';

export interface Follower {
  /** Resolves when something has changed, on timeout, or when aborted. */
  next(timeoutMs: number): Promise<'changed' | 'timeout' | 'stopped'>;
  /** How changes are currently detected; shown by `status`. */
  mode(): WorkerMode;
  close(): void;
}

/** Changes come in bursts: wait until they pause before reading the folders. */
const SETTLE_MS = 200;
export const POLL_MS = 30_000;

type Watch = (path: string, options: { recursive: true; persistent: false }, onChange: () => void) => FSWatcher;

/**
 * Waits for changes below a set of folders, which may grow. C21: if the system has no watches left, or none at all, it
 * polls every 30 seconds instead. Watches are only a hint: the caller compares the files itself.
 */
export function follow(folders: () => readonly string[], signal: AbortSignal, watchFolder: Watch = watch): Follower {
  let wake: () => void = () => {};
  let hasChanged = false;
  const onChange = () => {
    hasChanged = true;
    wake();
  };
  const watches = createWatches(folders, onChange, watchFolder);
  watches.startMissing();
  return {
    mode: watches.mode,
    next: async (timeoutMs) => {
      // Changes made before the watch started were not reported.
      if (watches.startMissing()) hasChanged = true;
      const limitMs = watches.mode() === 'watching' ? timeoutMs : Math.min(timeoutMs, POLL_MS);
      if (!hasChanged) await waitFor(limitMs, signal, (resolve) => (wake = resolve));
      if (signal.aborted) return 'stopped';
      if (!hasChanged) return 'timeout';
      await waitFor(SETTLE_MS, signal, () => {});
      hasChanged = false;
      return signal.aborted ? 'stopped' : 'changed';
    },
    close: watches.close,
  };
}

function createWatches(folders: () => readonly string[], onChange: () => void, watchFolder: Watch) {
  const watchers = new Map<string, FSWatcher>();
  const unwatchable = new Set<string>();
  const start = (folder: string) => {
    try {
      const watcher = watchFolder(folder, { recursive: true, persistent: false }, onChange);
      watchers.set(folder, watcher);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(folder);
        unwatchable.add(folder);
        onChange();
      });
    } catch {
      // ENOSPC, or a system without watches: this folder is polled. Retrying would leak watches that cannot be closed.
      unwatchable.add(folder);
    }
  };
  return {
    /** True when a watch was started. A missing folder is retried later: Node.js would silently watch nothing. */
    startMissing: (): boolean => {
      const before = watchers.size;
      for (const folder of folders())
        if (!watchers.has(folder) && !unwatchable.has(folder) && existsSync(folder)) start(folder);
      return watchers.size > before;
    },
    mode: (): WorkerMode => (folders().every((folder) => watchers.has(folder)) ? 'watching' : 'polling'),
    close: () => {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
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

import { useSyncExternalStore } from 'react';
import type { Transport } from '../../client/client.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
const PROBE_PATH = '/api/health';

/** Resolves when the server answers again; null while it does. */
let comingBack: Promise<void> | null = null;
const listeners = new Set<() => void>();

function change(next: Promise<void> | null): void {
  comingBack = next;
  for (const listener of listeners) listener();
}

async function isAnswering(): Promise<boolean> {
  try {
    return (await fetch(PROBE_PATH, { cache: 'no-store', credentials: 'omit' })).ok;
  } catch {
    return false;
  }
}

/** Ends early when the tab is shown or the network is back. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
  });
}

/** While the server is away this is the only request, whatever the page wants. */
async function waitForServer(): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    await pause(pauseMs);
    if (await isAnswering()) return change(null);
  }
}

/** Everything that waits shares one attempt to reach the server. */
function whenBack(): Promise<void> {
  if (comingBack === null) change(waitForServer());
  return comingBack ?? Promise.resolve();
}

function orAborted(waiting: Promise<void>, signal: AbortSignal | null | undefined): Promise<void> {
  if (signal === null || signal === undefined) return waiting;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void waiting.then(resolve);
  });
}

/**
 * `fetch` for the page: reading waits until the server answers, so that nothing on the screen breaks while it restarts.
 * Changes are sent once and fail at once.
 */
export const patientFetch: Transport = async (url, init) => {
  const isReading = init.method === 'GET';
  for (;;) {
    if (isReading && comingBack !== null) await orAborted(comingBack, init.signal);
    try {
      return await fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      const back = whenBack();
      if (!isReading) throw error;
      await orAborted(back, init.signal);
    }
  }
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** For files of the page, which the browser loads by itself: waits while the server is known to be away. */
export async function whenReachable(): Promise<void> {
  await comingBack;
}

/** Whether the server does not answer at the moment. */
export function useIsServerLost(): boolean {
  return useSyncExternalStore(subscribe, () => comingBack !== null);
}

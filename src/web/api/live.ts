import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ApiBase } from '../../client/client.ts';
import type { LiveNews } from '../../api/live.ts';
import { followLive } from '../../client/live.ts';
import type { StatusReport } from '../../api/server.ts';
import { CLIENTS } from './client.ts';
import type { MessageRow } from '../../api/transcript.ts';

/** Many sessions change during an import; lists are refetched at most this often. */
const LIST_PAUSE_MS = 1_000;
/** Claude Code writes several lines at once; what is new in the outline of a running session is read at most this often. */
const OUTLINE_PAUSE_MS = 300;

interface Live {
  readonly base: ApiBase;
  /** The open session, or null for all sessions. */
  readonly sessionId: string | null;
}

/**
 * Keeps the page up to date while it is visible. A hidden tab closes its connection: a browser allows six per server,
 * shared by all tabs.
 */
export function useLive({ base, sessionId }: Live): void {
  const queries = useQueryClient();
  useEffect(() => {
    let stop = new AbortController();
    const start = () => {
      stop.abort();
      stop = new AbortController();
      if (document.visibilityState === 'visible') void listen(queries, { base, sessionId }, stop.signal);
    };
    start();
    document.addEventListener('visibilitychange', start);
    return () => {
      document.removeEventListener('visibilitychange', start);
      stop.abort();
    };
  }, [queries, base, sessionId]);
}

async function listen(queries: QueryClient, { base, sessionId }: Live, signal: AbortSignal): Promise<void> {
  const refresh = (names: readonly string[]) => () => {
    for (const name of names) void queries.invalidateQueries({ queryKey: [base, name] });
  };
  const refreshLists = throttle(refresh(['sessions', 'status']), LIST_PAUSE_MS, signal);
  const refreshOutline = throttle(refresh(['outline']), OUTLINE_PAUSE_MS, signal);
  const only = sessionId === null ? {} : { sessionId };
  try {
    for await (const news of followLive(CLIENTS[base], { ...only, signal })) {
      take(queries, base, news);
      if (news.type === 'messages' || news.type === 'session') refreshOutline();
      if (news.type !== 'progress' && news.type !== 'messages') refreshLists();
    }
  } catch {
    // Rejected for good, for example because of an old token; the page's own requests report that.
  }
}

function take(queries: QueryClient, base: ApiBase, news: LiveNews): void {
  switch (news.type) {
    case 'session':
      return void queries.invalidateQueries({ queryKey: [base, 'session', news.data.id] });
    case 'messages':
      return publishMessages(base, news.data.session_id, news.data.messages);
    case 'progress':
      return void queries.setQueryData<StatusReport>(
        [base, 'status'],
        (status) => status && { ...status, import: news.data },
      );
    case 'hello':
      return;
    case 'deleted':
    case 'reset':
      return void queries.invalidateQueries({ queryKey: [base] });
    default:
      news satisfies never;
  }
}

/** Runs immediately, then again after the pause if it was requested meanwhile. */
function throttle(run: () => void, pauseMs: number, signal: AbortSignal): () => void {
  let isPausing = false;
  let isWanted = false;
  const start = () => {
    isPausing = true;
    isWanted = false;
    run();
    setTimeout(() => {
      isPausing = false;
      if (isWanted && !signal.aborted) start();
    }, pauseMs);
  };
  return () => {
    isWanted = true;
    if (!isPausing) start();
  };
}

type Listener = (messages: readonly MessageRow[]) => void;

const listeners = new Map<string, Set<Listener>>();
const keyOf = (base: ApiBase, sessionId: string) => `${base} ${sessionId}`;

/** Calls the listener with new and grown messages of a session while the page follows it. */
export function onMessages(base: ApiBase, sessionId: string, listener: Listener): () => void {
  const key = keyOf(base, sessionId);
  const ofSession = listeners.get(key) ?? new Set();
  listeners.set(key, ofSession.add(listener));
  return () => void ofSession.delete(listener);
}

function publishMessages(base: ApiBase, sessionId: string, messages: readonly MessageRow[]): void {
  for (const listener of listeners.get(keyOf(base, sessionId)) ?? []) listener(messages);
}

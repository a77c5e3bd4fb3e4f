import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ApiBase } from '../../client/client.ts';
import type { LiveNews } from '../../api/live.ts';
import { followLive } from '../../client/live.ts';
import type { StatusReport } from '../../api/answers/server.ts';
import type { TranscriptPage } from '../../api/answers/transcript.ts';
import { CLIENTS } from './client.ts';
import { mergeMessages } from './merge-messages.ts';
import { transcriptKey } from './queries.ts';

/** During an import sessions change by the dozen: lists are asked for again at most so often. */
const LIST_PAUSE_MS = 1_000;
/** All tool calls of the open session are read again. */
const PARTS_PAUSE_MS = 5_000;

interface Live {
  readonly base: ApiBase;
  /** The session that is open, or null for all of them. */
  readonly sessionId: string | null;
}

/**
 * Keeps what the page shows up to date while it is in view. A hidden tab lets go of its connection: a browser has six
 * for all tabs of a server together.
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
  const refreshLists = throttle(
    () => {
      for (const what of ['sessions', 'status']) void queries.invalidateQueries({ queryKey: [base, what] });
    },
    LIST_PAUSE_MS,
    signal,
  );
  const refreshParts = throttle(
    () => {
      void queries.invalidateQueries({ queryKey: [base, 'parts'] });
    },
    PARTS_PAUSE_MS,
    signal,
  );
  const only = sessionId === null ? {} : { sessionId };
  try {
    for await (const news of followLive(CLIENTS[base], { ...only, signal })) {
      take(queries, base, news);
      if (news.type === 'messages') refreshParts();
      if (news.type !== 'progress' && news.type !== 'messages') refreshLists();
    }
  } catch {
    // Refused for good, for example with a token of yesterday: the page's own questions say so.
  }
}

function take(queries: QueryClient, base: ApiBase, news: LiveNews): void {
  switch (news.type) {
    case 'session':
      return void queries.invalidateQueries({ queryKey: [base, 'session', news.data.id] });
    case 'messages':
      return void queries.setQueryData<InfiniteData<TranscriptPage, number | undefined>>(
        transcriptKey(base, news.data.session_id),
        (loaded) => loaded && mergeMessages(loaded, news.data.messages),
      );
    case 'progress':
      return void queries.setQueryData<StatusReport>(
        [base, 'status'],
        (status) => status && { ...status, import: news.data },
      );
    case 'hello':
      return;
    case 'reset':
      return void queries.invalidateQueries({ queryKey: [base] });
    default:
      news satisfies never;
  }
}

/** Runs at once, then again after the pause if it was asked for meanwhile. */
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

import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import type { FoundSession, SearchHit } from '../../api/search.ts';
import { titleOf } from '../../reading/names.ts';
import { CLIENTS } from '../api/client.ts';
import { literalMarker, type Marker } from '../items/marker.ts';
import { useMarks } from '../items/use-marks.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import { Markdown } from '../text/markdown-view.tsx';
import { markHighlights } from './mark-highlights.ts';
import styles from './preview.module.css';

/** From where on there is room beside the results. */
export const HAS_ROOM = '(min-width: 1600px)';

const MESSAGES_BEFORE = 2;
const MESSAGES_AFTER = 10;

interface PreviewProps {
  readonly query: string;
  readonly session: FoundSession;
  /** Null for a session that matches as a whole. */
  readonly hit: SearchHit | null;
}

/** The chosen match in its session: what was said around it. */
export function Preview({ query, session, hit }: PreviewProps) {
  const { base } = useRealm();
  const { session_id: id } = session;
  const at = hit?.ordinal ?? 0;
  const { data, error } = useQuery({
    queryKey: [base, 'around', id, at],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/sessions/:id/markdown', {
        params: { id },
        query: { from: Math.max(0, at - MESSAGES_BEFORE), to: at + MESSAGES_AFTER },
        signal,
      }),
    staleTime: 30_000,
    retry: false,
  });
  const body = useRef<HTMLDivElement>(null);
  useMarks(
    body,
    useMemo(() => markerOf(hit), [hit]),
  );
  return (
    <aside className={`scroll no-print ${styles['preview']}`} aria-label="Preview of the match" tabIndex={0}>
      <header>
        <h2 dir="auto">{titleOf(session)}</h2>
        <PageLink className="button" page={{ kind: 'session', id, at: hit?.ordinal, block: hit?.block, q: query }}>
          Open
        </PageLink>
      </header>
      <div ref={body} className={styles['body']}>
        {data === undefined && <p className={styles['note']}>{error?.message ?? 'Loading…'}</p>}
        {data?.text === '' && <p className={styles['note']}>This match is in the work of a sub-agent.</p>}
        {data !== undefined && <Markdown text={data.text} />}
      </div>
    </aside>
  );
}

/** Marks the texts that matched. */
function markerOf(hit: SearchHit | null): Marker | null {
  if (hit === null) return null;
  const parts = markHighlights(hit.snippet, hit.highlights).filter(({ isMarked }) => isMarked);
  const markers = [...new Set(parts.map(({ text }) => text.toLowerCase()))].map(literalMarker);
  return (text) => markers.flatMap((mark) => mark(text));
}

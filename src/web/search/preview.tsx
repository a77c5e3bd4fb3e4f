import { useQuery } from '@tanstack/react-query';
import { type RefObject, useLayoutEffect, useMemo, useRef } from 'react';
import type { FoundSession, SearchHit } from '../../api/search.ts';
import { titleOf } from '../../reading/names.ts';
import { CLIENTS } from '../api/client.ts';
import { findRanges } from '../items/find-ranges.ts';
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
/** How far down the match is, as a share of the height. */
const MATCH_AT = 0.25;

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
    queryFn: async ({ signal }) => {
      const read = async (from: number, to: number) =>
        (await CLIENTS[base].get('/sessions/:id/markdown', { params: { id }, query: { from, to }, signal })).text;
      const earlier = at === 0 ? '' : read(Math.max(0, at - MESSAGES_BEFORE), at - 1);
      const [before, rest] = await Promise.all([earlier, read(at, at + MESSAGES_AFTER)]);
      return { before, rest };
    },
    staleTime: 30_000,
    retry: false,
  });
  const pane = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const rest = useRef<HTMLDivElement>(null);
  const marker = useMemo(() => markerOf(hit), [hit]);
  useMarks(body, marker);
  useStartAtMatch(pane, rest, marker, data !== undefined);
  return (
    <aside ref={pane} className={`scroll no-print ${styles['preview']}`} aria-label="Preview of the match" tabIndex={0}>
      <header>
        <h2 dir="auto">{titleOf(session)}</h2>
        <PageLink className="button" page={{ kind: 'session', id, at: hit?.ordinal, block: hit?.block, q: query }}>
          Open
        </PageLink>
      </header>
      <div ref={body} className={styles['body']}>
        {data === undefined && <p className={styles['note']}>{error?.message ?? 'Loading…'}</p>}
        {data?.rest === '' && <p className={styles['note']}>This match is in the work of a sub-agent.</p>}
        {data !== undefined && data.before !== '' && <Markdown text={data.before} />}
        <div ref={rest}>{data !== undefined && <Markdown text={data.rest} />}</div>
      </div>
    </aside>
  );
}

/** What was said before the match is above it, however long it is. */
function useStartAtMatch(
  pane: RefObject<HTMLElement | null>,
  rest: RefObject<HTMLElement | null>,
  marker: Marker | null,
  isLoaded: boolean,
): void {
  useLayoutEffect(() => {
    if (pane.current === null || rest.current === null) return;
    const [first] = marker === null || !isLoaded ? [] : findRanges(rest.current, marker);
    const top = (first ?? rest.current).getBoundingClientRect().top - pane.current.getBoundingClientRect().top;
    pane.current.scrollTo({
      top: isLoaded ? pane.current.scrollTop + top - pane.current.clientHeight * MATCH_AT : 0,
    });
  }, [pane, rest, marker, isLoaded]);
}

/** Marks the texts that matched. */
function markerOf(hit: SearchHit | null): Marker | null {
  if (hit === null) return null;
  const parts = markHighlights(hit.snippet, hit.highlights).filter(({ isMarked }) => isMarked);
  const markers = [...new Set(parts.map(({ text }) => text.toLowerCase()))].map(literalMarker);
  return (text) => markers.flatMap((mark) => mark(text));
}

import { type KeyboardEvent, useEffect, useEffectEvent, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { ApiBase } from '../../client/client.ts';
import { formatCount } from '../../reading/format.ts';
import { literalMarker, type Marker, termMarker } from '../items/marker.ts';
import { useHits } from '../search/queries.ts';
import { type FindHit, useFind } from './queries.ts';
import type { FindState } from './reader.tsx';
import type { Navigation } from './use-navigation.ts';
import styles from './find-bar.module.css';

/** The search that led to a session, and the match that was opened. */
export interface OpenedSearch {
  readonly query: string;
  readonly at: number | null;
  readonly block: number | null;
}

interface FindBarProps {
  readonly base: ApiBase;
  readonly id: string;
  readonly state: FindState;
  readonly navigation: Pick<Navigation, 'jumpToMatch' | 'showMatch'>;
  /** The bar starts with the matches of this search; another text is looked for as it is. */
  readonly search: OpenedSearch | null;
}

const PAUSE_MS = 150;

/** Goes through all places of a session that match, in order. */
export function FindBar(props: FindBarProps) {
  const { state, search } = props;
  const { typed, type, step, enter, count } = useFinding(props);
  const { field } = state;
  useEffect(() => {
    // After a search, the keys belong to the conversation.
    if (search === null) field.current?.focus();
  }, [search, field]);
  const onKeyDown = (event: KeyboardEvent) => {
    // Ctrl-F for the second time is the browser's own.
    if (event.key === 'f' && (event.ctrlKey || event.metaKey)) return event.stopPropagation();
    if (event.key === 'Enter') enter(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') state.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className={`${styles['bar']} no-print`}>
      <input
        ref={field}
        type="search"
        value={typed}
        aria-label="Find in this session"
        placeholder="Find in this session"
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <output className={styles['count']}>{count}</output>
      <Buttons onStep={step} onClose={state.close} />
    </search>
  );
}

/** The search text, its matches and the current match. */
function useFinding({ base, id, state: { mark, move, step: stepRef }, navigation, search }: FindBarProps) {
  const [typed, setTyped] = useState(search?.query ?? '');
  const [text, setText] = useState(typed);
  const [chosen, setPlace] = useState<number | null>(null);
  const isSearch = search !== null && text === search.query;
  const found = useFound(base, id, text, isSearch);
  const { hits, marker } = found;
  const place = chosen ?? (isSearch ? placeOf(hits, search) : -1);
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const opened = useEffectEvent(navigation.showMatch);
  useEffect(() => {
    if (!isSearch || marker === null) return;
    mark(marker);
    opened(marker);
  }, [isSearch, marker, mark]);
  useEffect(() => {
    if (!isSearch) mark(text.trim() === '' ? null : marker);
  }, [isSearch, text, marker, mark]);
  const step = (by: 1 | -1) => {
    if (hits.length === 0 || marker === null || (place >= 0 && move(by))) return;
    const next = place < 0 ? (by > 0 ? 0 : hits.length - 1) : (place + by + hits.length) % hits.length;
    setPlace(next);
    mark(marker);
    const { ordinal, block } = hits[next] as FindHit;
    navigation.jumpToMatch({ ordinal, marker, edge: by > 0 ? 'first' : 'last' }, block);
  };
  useImperativeHandle(stepRef, () => step);
  const isWaiting = found.isWaiting || typed !== text;
  const wish = useRef<1 | -1 | null>(null);
  useEffect(() => {
    if (isWaiting || wish.current === null) return;
    const by = wish.current;
    wish.current = null;
    step(by);
  });
  const enter = (by: 1 | -1) => {
    if (!isWaiting) return step(by);
    // Goes to the match as soon as it is found, without waiting for the pause.
    wish.current = by;
    setText(typed);
  };
  const type = (value: string) => {
    setTyped(value);
    setPlace(null);
  };
  const count = text.trim() === '' || isWaiting ? '' : (found.problem ?? countText({ ...found, place }));
  return { typed, type, step, enter, count };
}

interface ButtonsProps {
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

function Buttons({ onStep, onClose }: ButtonsProps) {
  return (
    <>
      <button type="button" aria-label="Previous match" title="Previous match (N)" onClick={() => onStep(-1)}>
        ↑
      </button>
      <button type="button" aria-label="Next match" title="Next match (n)" onClick={() => onStep(1)}>
        ↓
      </button>
      <button type="button" aria-label="Close" title="Close (Esc)" onClick={onClose}>
        ×
      </button>
    </>
  );
}

interface Found {
  readonly hits: readonly FindHit[];
  readonly isComplete: boolean;
  readonly isWaiting: boolean;
  readonly marker: Marker | null;
  readonly problem: string | null;
}

/** Matches of the search, or places that contain the text. */
function useFound(base: ApiBase, id: string, text: string, isSearch: boolean): Found {
  const search = useHits(base, id, text, isSearch);
  const literal = useFind(base, id, isSearch ? '' : text);
  const { data } = search;
  const terms = data?.terms;
  const marker = useMemo(
    () => (isSearch ? (terms === undefined ? null : termMarker(terms)) : literalMarker(text)),
    [isSearch, terms, text],
  );
  const hits = useMemo(
    () =>
      (data?.hits ?? []).flatMap(({ ordinal, block }) =>
        ordinal === null ? [] : [{ ordinal, block: block ?? -1, count: 1 }],
      ),
    [data],
  );
  if (isSearch) {
    const isComplete = data === undefined || (data.is_complete && data.total === data.hits.length);
    return { hits, isComplete, isWaiting: search.isPending, marker, problem: search.error?.message ?? null };
  }
  return {
    hits: text.trim() === '' ? [] : (literal.data?.hits ?? []),
    isComplete: literal.data?.is_complete ?? true,
    isWaiting: literal.isFetching,
    marker,
    problem: null,
  };
}

/** The match that was opened. */
function placeOf(hits: readonly FindHit[], { at, block }: OpenedSearch): number {
  if (at === null) return -1;
  const exact = hits.findIndex((hit) => hit.ordinal === at && hit.block === block);
  return exact >= 0 ? exact : hits.findIndex((hit) => hit.ordinal >= at);
}

function countText({
  place,
  hits,
  isComplete,
}: Pick<Found, 'hits' | 'isComplete'> & { readonly place: number }): string {
  if (hits.length === 0) return 'No matches';
  const all = `${formatCount(hits.length)}${isComplete ? '' : '+'}`;
  if (place >= 0) return `${formatCount(place + 1)} of ${all}`;
  return `${all} ${hits.length === 1 ? 'match' : 'matches'}`;
}

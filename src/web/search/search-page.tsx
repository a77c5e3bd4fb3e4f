import { useEffect, useState } from 'react';
import type { SearchHit } from '../../domain/query.ts';
import type { ApiBase } from '../api/client.ts';
import { useSearch } from '../api/queries.ts';
import { isOnControl, useKeys } from '../keyboard.ts';
import { formatPlace, goTo } from '../router.ts';
import { titleOf } from '../sessions/list-rows.ts';
import { ErrorNotice, Loading } from '../shell/notice.tsx';
import { formatDateTime, formatExact, plural } from '../text/format.ts';
import { markWords } from './mark-words.ts';

interface SearchPageProps {
  readonly base: ApiBase;
  readonly isDemo: boolean;
  readonly text: string;
}

export function SearchPage({ base, isDemo, text }: SearchPageProps) {
  const { data, error, isPending, isFetching } = useSearch(base, useSettled(text));
  if (text.trim() === '') return <Loading what="Type to search" />;
  if (error !== null) return <ErrorNotice error={error} />;
  if (isPending) return <Loading what="Searching" />;
  return (
    <div className="scroll hits-page" aria-busy={isFetching}>
      <p className="hits-count" role="status">
        {data.hits.length === 0 ? `Nothing was found for “${text}”.` : plural(data.hits.length, 'place')}
      </p>
      <Hits key={text} hits={data.hits} text={text} isDemo={isDemo} />
    </div>
  );
}

const TYPING_PAUSE_MS = 150;

/** The text as it is once the typing pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), TYPING_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return settled;
}

interface HitsProps {
  readonly hits: readonly SearchHit[];
  readonly text: string;
  readonly isDemo: boolean;
}

function Hits({ hits, text, isDemo }: HitsProps) {
  const [cursor, setCursor] = useState(0);
  const move = (step: number) => {
    const next = Math.min(Math.max(cursor + step, 0), hits.length - 1);
    setCursor(next);
    document.querySelector(`#hit-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Escape: () => goTo({ isDemo, page: { kind: 'list' } }),
    Enter: (event) => {
      const hit = hits[cursor];
      if (isOnControl(event)) (event.target as HTMLElement).click();
      else if (hit !== undefined) goTo({ isDemo, page: { kind: 'session', id: hit.session_id, at: hit.ordinal } });
    },
  });
  const now = new Date();
  return (
    <ol className="hits">
      {hits.map((hit, index) => (
        <li key={index} id={`hit-${index}`} className={index === cursor ? 'hit current' : 'hit'}>
          <HitView hit={hit} text={text} isDemo={isDemo} now={now} />
        </li>
      ))}
    </ol>
  );
}

function HitView({
  hit,
  text,
  isDemo,
  now,
}: { readonly hit: SearchHit; readonly now: Date } & Omit<HitsProps, 'hits'>) {
  return (
    <a href={formatPlace({ isDemo, page: { kind: 'session', id: hit.session_id, at: hit.ordinal } })}>
      <span className="hit-head">
        <bdi className="hit-title">{titleOf({ title: hit.title, initial_prompt: null })}</bdi>
        <span className="hit-kind">{hit.kind.replaceAll('_', ' ')}</span>
        <time dateTime={hit.started_at} title={formatExact(hit.started_at)}>
          {formatDateTime(hit.started_at, now)}
        </time>
      </span>
      <span className="hit-snippet" dir="auto">
        {markWords(hit.snippet, text).map((part, index) =>
          part.isMarked ? <mark key={index}>{part.text}</mark> : part.text,
        )}
      </span>
    </a>
  );
}

import { useSearch as useAddress } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { FuelError } from '../../domain/errors.ts';
import type { FoundSession, SearchAnswer, SearchHit } from '../../api/search.ts';
import { useSearch } from '../api/queries.ts';
import { isOnControl, useShortcuts } from '../keyboard.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import { useGo } from '../routing/use-go.ts';
import { titleOf } from '../../reading/names.ts';
import { ErrorNotice, Loading, WithCode } from '../shell/notice.tsx';
import { formatDateTime, formatExact, plural } from '../../reading/format.ts';
import { markHighlights } from './mark-highlights.ts';

export function SearchPage() {
  const { base } = useRealm();
  const { q: text = '' } = useAddress({ strict: false });
  const asked = useSettled(text);
  const { data, error, isPending, isFetching } = useSearch(base, asked);
  if (text.trim() === '') return <SearchHelp />;
  if (error instanceof FuelError && error.position !== undefined)
    return <BadQuery text={asked} error={error} position={error.position} />;
  if (error !== null) return <ErrorNotice error={error} />;
  if (isPending) return <Loading what="Searching" />;
  return (
    <main className="scroll hits-page" aria-busy={isFetching}>
      <p className="hits-count" role="status">
        {data.sessions.length === 0 ? `No results for “${text}”.` : countOf(data)}
      </p>
      <Hits key={text} hits={data.sessions.flatMap(toHits)} />
    </main>
  );
}

const EXAMPLES = [
  ['ferry timetable', 'both words, anywhere in a session'],
  ['"off by one"', 'these words in this order'],
  ['workspace:harbour has:commit', 'sessions of a workspace with commits'],
  ['tool:Bash npm test', 'words in calls of a tool'],
  ['after:7d cost:>5', 'sessions of the last week that cost more than $5'],
] as const;

/** What can be searched for, while nothing is. */
function SearchHelp() {
  return (
    <main className="scroll hits-page search-help">
      <h2>Search prompts, answers, commands, output and files of all sessions</h2>
      <dl>
        {EXAMPLES.map(([query, about]) => (
          <div key={query}>
            <dt>
              <PageLink page={{ kind: 'search', text: query }}>
                <code>{query}</code>
              </PageLink>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </main>
  );
}

interface BadQueryProps {
  readonly text: string;
  readonly error: FuelError;
  readonly position: number;
}

/** Repeats the query below the search field and marks the character that could not be parsed. */
function BadQuery({ text, error, position }: BadQueryProps) {
  const [character = ' '] = text.slice(position);
  return (
    <main className="scroll hits-page bad-query">
      <code>
        {text.slice(0, position)}
        <mark>{character}</mark>
        {text.slice(position + character.length)}
      </code>
      <p role="alert">{error.message}</p>
      <p className="muted">
        <WithCode text={error.hint ?? ''} />
      </p>
    </main>
  );
}

function countOf({ total, cut }: SearchAnswer): string {
  const places = total.places === 0 ? '' : `${plural(total.places, 'match', 'matches')} in `;
  return `${places}${plural(total.sessions, 'session')}${cut === null ? '' : ' (newest first; there are more)'}`;
}

/** A match in a session; null if only the session itself matches. */
interface Hit {
  readonly session: FoundSession;
  readonly hit: SearchHit | null;
}

function toHits(session: FoundSession): Hit[] {
  return session.hits.length === 0 ? [{ session, hit: null }] : session.hits.map((hit) => ({ session, hit }));
}

function pageOf({ session, hit }: Hit) {
  return { kind: 'session', id: session.session_id, at: hit?.ordinal ?? null } as const;
}

const TYPING_PAUSE_MS = 150;

/** The text after typing has paused. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), TYPING_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return settled;
}

function Hits({ hits }: { readonly hits: readonly Hit[] }) {
  const [cursor, setCursor] = useState(0);
  const go = useGo();
  const move = (step: number) => {
    const next = Math.min(Math.max(cursor + step, 0), hits.length - 1);
    setCursor(next);
    document.querySelector(`#hit-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const open = (event: KeyboardEvent) => {
    const hit = hits[cursor];
    if (isOnControl(event)) (event.target as HTMLElement).click();
    else if (hit !== undefined) go(pageOf(hit));
  };
  useShortcuts('Search', [
    { keys: ['j', 'ArrowDown'], label: 'Next result', run: () => move(1) },
    { keys: ['k', 'ArrowUp'], label: 'Previous result', run: () => move(-1) },
    { keys: ['Enter'], label: 'Open the result', run: open },
    { keys: ['Escape'], label: 'Back to the sessions', run: () => go({ kind: 'list' }) },
  ]);
  const now = new Date();
  return (
    <ol className="hits">
      {hits.map((hit, index) => (
        <li key={index} id={`hit-${index}`} className={index === cursor ? 'hit current' : 'hit'}>
          <HitView shown={hit} now={now} />
        </li>
      ))}
    </ol>
  );
}

function HitView({ shown, now }: { readonly shown: Hit; readonly now: Date }) {
  const { session, hit } = shown;
  return (
    <PageLink page={pageOf(shown)}>
      <span className="hit-head">
        <bdi className="hit-title">{titleOf(session)}</bdi>
        <span className="hit-kind">{hit?.kind ?? session.workspace_name}</span>
        <time dateTime={session.started_at} title={formatExact(session.started_at)}>
          {formatDateTime(session.started_at, now)}
        </time>
      </span>
      <span className="hit-snippet" dir="auto">
        {markHighlights(hit?.snippet ?? '', hit?.highlights ?? []).map((part, index) =>
          part.isMarked ? <mark key={index}>{part.text}</mark> : part.text,
        )}
      </span>
    </PageLink>
  );
}

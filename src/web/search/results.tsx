import { type ReactNode, useCallback, useLayoutEffect, useRef } from 'react';
import type { FoundSession, SearchAnswer } from '../../api/search.ts';
import { isOnControl, useShortcuts } from '../keyboard.ts';
import { useEntryState, useEntryStore } from '../routing/entry-state.ts';
import { useGo } from '../routing/use-go.ts';
import { useMedia } from '../setting.ts';
import { FoundGroup, keyOf } from './found-group.tsx';
import { HAS_ROOM, Preview } from './preview.tsx';
import styles from './search-page.module.css';

interface ResultsProps {
  readonly query: string;
  readonly sessions: readonly FoundSession[];
  readonly isBusy: boolean;
  readonly head: ReactNode;
  readonly more: MoreProps | null;
}

/** The current result in the document; results are found there because opening a session adds some. */
const RESULTS = '[data-hit]';

export function Results({ query, sessions, isBusy, head, more }: ResultsProps) {
  const main = useKeptScroll();
  const [cursor, setCursor] = useEntryState('hit', '');
  const [opened, setOpened] = useEntryState<readonly string[]>('opened', []);
  const toggle = (id: string) =>
    setOpened(opened.includes(id) ? opened.filter((known) => known !== id) : [...opened, id]);
  useResultKeys(main, { cursor, setCursor, toggle });
  const hasRoom = useMedia(HAS_ROOM);
  const chosen = chosenHit(sessions, cursor);
  return (
    <>
      <main ref={main} className={`scroll ${styles['results']}`} aria-busy={isBusy} data-cursor={cursor}>
        {head}
        {sessions.map((session) => (
          <FoundGroup
            key={session.session_id}
            query={query}
            session={session}
            cursor={cursor}
            isOpen={opened.includes(session.session_id)}
            onToggle={() => toggle(session.session_id)}
            onPoint={setCursor}
          />
        ))}
        {more !== null && <More {...more} />}
      </main>
      {hasRoom && chosen !== null && <Preview query={query} {...chosen} />}
    </>
  );
}

/** The result at the cursor, else the first one. A match that only the whole list of a session has is not known here. */
function chosenHit(sessions: readonly FoundSession[], cursor: string) {
  for (const session of sessions)
    for (const [index, hit] of session.hits.entries())
      if (keyOf(session.session_id, hit, index) === cursor) return { session, hit };
  const session = sessions.find(({ session_id: id }) => cursor.startsWith(id)) ?? sessions[0];
  return session === undefined ? null : { session, hit: session.hits[0] ?? null };
}

interface MoreProps {
  /** Why the search stopped here. */
  readonly cut: SearchAnswer['cut'];
  readonly isLoading: boolean;
  readonly load: () => void;
}

const WHY: Readonly<Record<'places' | 'time', string>> = {
  places: 'Only the newest matches are listed. ',
  time: 'The search stopped after two seconds; older sessions have not been searched. ',
};

function More({ cut, isLoading, load }: MoreProps) {
  return (
    <p className={styles['more']}>
      {cut !== null && WHY[cut]}
      <button type="button" className="button" disabled={isLoading} onClick={load}>
        {isLoading ? 'Searching…' : cut === null ? 'Show more sessions' : 'Search older sessions'}
      </button>
    </p>
  );
}

/** The position is kept with the history entry, so that Back leads to the same results. */
function useKeptScroll() {
  const store = useEntryStore();
  const main = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = main.current;
    if (element === null) return undefined;
    element.scrollTop = store.read<number>('scroll') ?? 0;
    const keep = () => store.write('scroll', element.scrollTop);
    element.addEventListener('scroll', keep, { passive: true });
    return () => element.removeEventListener('scroll', keep);
  }, [store]);
  return main;
}

interface Cursor {
  readonly cursor: string;
  readonly setCursor: (cursor: string) => void;
  readonly toggle: (sessionId: string) => void;
}

function useResultKeys(main: React.RefObject<HTMLElement | null>, { cursor, setCursor, toggle }: Cursor): void {
  const go = useGo();
  const all = useCallback(() => [...(main.current?.querySelectorAll<HTMLElement>(RESULTS) ?? [])], [main]);
  const current = () => all().find(({ dataset }) => dataset['hit'] === cursor);
  const select = (element: HTMLElement | undefined) => {
    if (element === undefined) return;
    setCursor(element.dataset['hit'] ?? '');
    element.scrollIntoView({ block: 'nearest' });
  };
  const move = (step: 1 | -1, isWanted: (element: HTMLElement, from: HTMLElement | undefined) => boolean) => {
    const list = all();
    const from = current();
    const start = from === undefined ? (step > 0 ? 0 : -1) : list.indexOf(from) + step;
    for (let at = start; at >= 0 && at < list.length; at += step) {
      const element = list[at] as HTMLElement;
      if (isWanted(element, from)) return select(element);
    }
  };
  const isOther = (element: HTMLElement, from: HTMLElement | undefined) =>
    element.dataset['session'] !== from?.dataset['session'];
  const open = (event: KeyboardEvent) => {
    if (isOnControl(event)) (event.target as HTMLElement).click();
    else (current() ?? all()[0])?.querySelector('a')?.click();
  };
  useShortcuts('Search', [
    { keys: ['j', 'ArrowDown'], label: 'Next result', run: () => move(1, () => true) },
    { keys: ['k', 'ArrowUp'], label: 'Previous result', run: () => move(-1, () => true) },
    { keys: ['n'], label: 'Next session', run: () => move(1, isOther) },
    { keys: ['N'], label: 'Previous session', run: () => move(-1, isOther) },
    { keys: ['Enter'], label: 'Open the result', run: open },
    {
      keys: ['o'],
      label: 'Show all matches of the session, or the best',
      run: () => {
        const id = (current() ?? all()[0])?.dataset['session'];
        if (id !== undefined) toggle(id);
      },
    },
    { keys: ['Escape'], label: 'Back to the sessions', run: () => go({ kind: 'list' }) },
  ]);
}

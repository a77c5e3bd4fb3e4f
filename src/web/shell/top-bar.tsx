import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { StatusReport } from '../../api/server.ts';
import { formatBytes, plural } from '../../reading/format.ts';
import { EVERYWHERE, useShortcuts } from '../keyboard.ts';
import { QueryField } from '../query-field/query-field.tsx';
import { parsePlace, type Page } from '../routing/place.ts';
import { useGo } from '../routing/use-go.ts';
import { DASHBOARD_VIEWS } from './dashboards.ts';
import styles from './top-bar.module.css';

interface TopBarProps {
  readonly status: StatusReport | undefined;
  /** A session has a heading of its own; `/` still leads to the search. */
  readonly isHidden: boolean;
}

/** Stays while the search replaces the list, so that the field keeps its focus. */
export function TopBar({ status, isHidden }: TopBarProps) {
  const go = useGo();
  const page = useAddress();
  const input = useRef<HTMLInputElement>(null);
  const focus = () => {
    if (isHidden) go({ kind: 'search', text: '' });
    else input.current?.select();
  };
  useShortcuts(EVERYWHERE, [{ keys: ['/'], label: 'Search all sessions', run: focus }]);
  if (isHidden) return null;
  return (
    <header className={styles.bar}>
      <h1 className={styles.title}>{titleOf(page)}</h1>
      <SearchBox input={input} page={page} />
      {status !== undefined && (
        <p className={`${styles.kept} no-print`} title={`${formatBytes(status.stored_bytes)} on disk`}>
          {plural(status.sessions, 'session')} · {formatBytes(status.archived_bytes)} kept
        </p>
      )}
    </header>
  );
}

function titleOf(page: Page): string {
  if (page.kind === 'dashboard') return DASHBOARD_VIEWS[page.name].label;
  if (page.kind === 'compare') return 'Compare';
  return page.kind === 'search' ? 'Search' : 'Sessions';
}

/** Read from the history, which changes at once: the router's state may change only after the next key was pressed. */
function useAddress(): Page {
  const { history } = useRouter();
  return parsePlace(useSyncExternalStore(history.subscribe, () => history.location.href)).page;
}

interface SearchBoxProps {
  readonly input: React.RefObject<HTMLInputElement | null>;
  readonly page: Page;
}

/** The text is kept in the address, so that a search can be bookmarked and Back leaves it. */
function SearchBox({ input, page }: SearchBoxProps) {
  const go = useGo();
  const isSearching = page.kind === 'search';
  const isEmptySearch = isSearching && page.text === '';
  useEffect(() => {
    if (isEmptySearch) input.current?.focus();
  }, [isEmptySearch, input]);
  return (
    <div className={`${styles.search} no-print`}>
      <QueryField
        input={input}
        query={isSearching ? page.text : ''}
        placeholder="Search all sessions"
        label="Search all sessions"
        shortcut="/"
        // The first letter creates a history entry; further letters replace it.
        onChange={(text) => go({ kind: 'search', text }, { isReplacing: isSearching })}
        onLeave={(key) => {
          if (key === 'Escape' && isSearching) go({ kind: 'list' }, { isReplacing: true });
          input.current?.blur();
        }}
      />
    </div>
  );
}

import { useRouter } from '@tanstack/react-router';
import { useRef, useSyncExternalStore } from 'react';
import type { StatusReport } from '../../api/server.ts';
import { useKeys } from '../keyboard.ts';
import { formatBytes, plural } from '../../reading/format.ts';
import { PageLink } from '../routing/page-link.tsx';
import { parsePlace } from '../routing/place.ts';
import { useGo } from '../routing/use-go.ts';

const MAX_SEARCH_CHARS = 500;

export function TopBar({ status }: { readonly status: StatusReport | undefined }) {
  return (
    <header className="top-bar">
      <PageLink className="brand" page={{ kind: 'list' }}>
        fuel<span>-code</span>
      </PageLink>
      <SearchBox />
      {status !== undefined && (
        <p className="kept" title={`${formatBytes(status.stored_bytes)} on disk`}>
          {plural(status.sessions, 'session')} · {formatBytes(status.archived_bytes)} kept
        </p>
      )}
    </header>
  );
}

/**
 * The text is kept in the address, so that a search can be bookmarked and Back leaves it. It is read from the history,
 * which changes at once: the router's own state may change only after the next key was pressed.
 */
function useSearchText() {
  const go = useGo();
  const { history } = useRouter();
  const { page } = parsePlace(useSyncExternalStore(history.subscribe, () => history.location.href));
  const isSearching = page.kind === 'search';
  /** The first letter creates a history entry; further letters replace it. */
  const follow = (text: string) => {
    if (text === '' && !isSearching) return;
    go(text === '' ? { kind: 'list' } : { kind: 'search', text }, { isReplacing: isSearching });
  };
  return { text: isSearching ? page.text : '', follow };
}

function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  const { text, follow } = useSearchText();
  useKeys({ '/': () => input.current?.select() });
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Escape') follow('');
    if (['Escape', 'Enter', 'ArrowDown'].includes(event.key)) input.current?.blur();
  };
  return (
    <search className="search-box">
      <input
        ref={input}
        type="search"
        value={text}
        placeholder="Search all sessions"
        aria-label="Search all sessions"
        aria-keyshortcuts="/"
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_SEARCH_CHARS}
        onChange={(event) => follow(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
    </search>
  );
}

import { useRef } from 'react';
import type { StatusReport } from '../../api/server.ts';
import { useKeys } from '../keyboard.ts';
import { formatPlace, goTo, replacePlace, type Page } from '../router.ts';
import { formatBytes, plural } from '../../reading/format.ts';

const MAX_SEARCH_CHARS = 500;

interface TopBarProps {
  readonly isDemo: boolean;
  readonly page: Page;
  readonly status: StatusReport | undefined;
}

export function TopBar({ isDemo, page, status }: TopBarProps) {
  return (
    <header className="top-bar">
      <a className="brand" href={formatPlace({ isDemo, page: { kind: 'list' } })}>
        fuel<span>-code</span>
      </a>
      <SearchBox isDemo={isDemo} page={page} />
      {status !== undefined && (
        <p className="kept" title={`${formatBytes(status.stored_bytes)} on disk`}>
          {plural(status.sessions, 'session')} · {formatBytes(status.archived_bytes)} kept
        </p>
      )}
    </header>
  );
}

/** The text is kept in the URL, so that a search can be bookmarked and Back leaves it. */
function SearchBox({ isDemo, page }: Pick<TopBarProps, 'isDemo' | 'page'>) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => input.current?.select() });
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Escape') followText('', isDemo, page);
    if (['Escape', 'Enter', 'ArrowDown'].includes(event.key)) input.current?.blur();
  };
  return (
    <search className="search-box">
      <input
        ref={input}
        type="search"
        value={page.kind === 'search' ? page.text : ''}
        placeholder="Search all sessions"
        aria-label="Search all sessions"
        aria-keyshortcuts="/"
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_SEARCH_CHARS}
        onChange={(event) => followText(event.target.value, isDemo, page)}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
    </search>
  );
}

/** The first letter creates a history entry; further letters replace it. */
function followText(text: string, isDemo: boolean, page: Page): void {
  if (page.kind === 'search') replacePlace({ isDemo, page: text === '' ? { kind: 'list' } : { kind: 'search', text } });
  else if (text !== '') goTo({ isDemo, page: { kind: 'search', text } });
}

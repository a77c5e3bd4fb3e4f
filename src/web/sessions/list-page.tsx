import { useMemo, useRef, useState } from 'react';
import type { SessionDay } from '../../api/facets.ts';
import type { SessionRow } from '../../api/sessions.ts';
import type { ListGroup } from '../../domain/saved-view.ts';
import { plural } from '../../reading/format.ts';
import { type DayRange, dayRangeOf, withDayRange } from '../../reading/day-range.ts';
import { type ListRow, sessionsOf } from '../../reading/list-rows.ts';
import { isBusy, useStatus } from '../api/queries.ts';
import { QueryField } from '../query-field/query-field.tsx';
import { useShortcuts } from '../keyboard.ts';
import { MAX_PRINTED_ROWS } from '../printing.ts';
import { useEntryState } from '../routing/entry-state.ts';
import type { ListSearch } from '../routing/place.ts';
import { useRealm } from '../routing/realm.ts';
import { useMedia, useSetting } from '../setting.ts';
import { EmptyNotice, ErrorNotice, Loading } from '../shell/notice.tsx';
import { CostStrip } from './cost-strip.tsx';
import { FacetsPane } from './facets-pane.tsx';
import { useDays, useFacets, useSessionList } from './list-queries.ts';
import { ListToolbar } from './list-toolbar.tsx';
import { PeekPanel } from './peek-panel.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { SessionList } from './session-list.tsx';
import { type ListAddress, useListSearch } from './use-list-search.ts';
import { useSelection } from './use-selection.ts';
import { ViewsTabs } from './views-tabs.tsx';
import styles from './list-page.module.css';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { rescueSentence } from '../../reading/health.ts';
import { CLIENTS } from '../api/client.ts';

/** There is room for filters, list and preview side by side. */
const WIDE = '(min-width: 1600px)';

export function ListPage() {
  const { base } = useRealm();
  const { data: status } = useStatus(base);
  const address = useListSearch();
  const { search } = address;
  const list = useSessionList(base, search);
  const isFiltered = search.q !== undefined;
  const isEmpty = list.sessions.length === 0 && list.hidden === 0 && !isFiltered;
  if (list.isPending && list.error === null) return <Loading what="Loading sessions" />;
  if (list.error !== null && !isFiltered) return <ErrorNotice error={list.error} />;
  if (isEmpty && !list.isOther)
    return isBusy(status) || status === undefined ? (
      <Loading what="Importing your sessions" />
    ) : (
      <EmptyNotice status={status} />
    );
  return <ListScreen address={address} list={list} />;
}

interface ListScreenProps {
  readonly address: ListAddress;
  readonly list: ReturnType<typeof useSessionList>;
}

function ListScreen({ address, list }: ListScreenProps) {
  const { base } = useRealm();
  const { search, change } = address;
  const { q = '' } = search;
  const isWide = useMedia(WIDE);
  const [density, setDensity] = useSetting('rows');
  const [facetChoice, setFacetChoice] = useSetting('facets');
  const isFaceted = facetChoice === null ? isWide : facetChoice === 'open';
  const toggleFacets = () => setFacetChoice(isFaceted ? 'closed' : 'open');
  const facets = useFacets(base, search, isFaceted);
  const days = useDays(base, search);
  const group = groupOf(search);
  const range = dayRangeOf(q);
  const isFiltered = q !== '';
  useShortcuts('Sessions', [{ keys: ['f'], label: 'Show or hide filters by value', run: toggleFacets }]);
  return (
    <main className={`${styles['page']} print-flow`}>
      <RescueNote />
      {isFiltered && <p className="print-only">Filter: {q}</p>}
      <div className={`${styles['top']} no-print`}>
        <ViewsTabs search={search} />
        {isStripShown(days.data?.days ?? [], range) && (
          <CostStrip
            days={days.data?.days ?? []}
            range={range}
            onRange={(range) => change({ q: withDayRange(q, range) })}
          />
        )}
        <div className={styles['filter']}>
          <FilterField q={q} onQuery={(next) => change({ q: next }, true)} />
          <ListToolbar
            address={address}
            group={group}
            isCompact={density === 'compact'}
            onCompact={() => setDensity(density === 'compact' ? null : 'compact')}
            isFaceted={isFaceted}
            onFacets={toggleFacets}
          />
        </div>
      </div>
      <div className={`${styles['body']} print-flow`}>
        {isFaceted && <FacetsPane report={facets.data} query={q} onQuery={(next) => change({ q: next })} />}
        <Sessions
          key={JSON.stringify([q, search.sort, search.order, group])}
          list={list}
          address={address}
          group={group}
          isCompact={density === 'compact'}
          isWide={isWide}
        />
      </div>
    </main>
  );
}

/** An empty strip only takes up space, unless the filter names days on it. */
function isStripShown(days: readonly SessionDay[], range: DayRange | null): boolean {
  return days.some(({ day, sessions }) => sessions > 0 || (range !== null && day >= range.first && day <= range.last));
}

/** Days make sense only in the order of time. */
function groupOf({ sort = 'time', group }: ListSearch): ListGroup {
  if (group !== undefined) return group;
  return sort === 'time' ? 'day' : 'none';
}

function FilterField({ q, onQuery }: { readonly q: string; readonly onQuery: (q: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <QueryField
      query={q}
      onChange={onQuery}
      label="Filter sessions"
      placeholder="Filter by title, or by fields such as is:live, cost>5, has:commit"
      input={input}
      onLeave={() => input.current?.blur()}
    />
  );
}

interface SessionsProps {
  readonly list: ReturnType<typeof useSessionList>;
  readonly address: ListAddress;
  readonly group: ListGroup;
  readonly isCompact: boolean;
  readonly isWide: boolean;
}

/** The rows with what is known about the chosen ones. Another filter starts again from the top, with nothing selected. */
function Sessions({ list, address, group, isCompact, isWide }: SessionsProps) {
  const { sessions, hidden, error, updatedAt } = list;
  const now = useMemo(() => new Date(updatedAt), [updatedAt]);
  const selection = useSelection();
  const [cursor, setCursor] = useEntryState<Cursor | null>('cursor', null);
  const [isPeeking, setPeeking] = useState(false);
  const peeked = cursor?.id ?? (isWide ? (sessions[0]?.id ?? null) : null);
  const closeAll = () => {
    if (selection.isActive) selection.clear();
    else setPeeking(false);
  };
  useShortcuts('Sessions', [{ keys: ['Escape'], label: 'Clear the selection, or close the preview', run: closeAll }]);
  return (
    <>
      <div className={`${styles['sessions']} print-flow`}>
        <HiddenNote hidden={hidden} address={address} />
        {error !== null && <FilterError error={error} />}
        {error === null && sessions.length === 0 && (
          <NoMatch hidden={hidden} onClear={() => address.change({ q: '' })} />
        )}
        {(list.hasMore || sessions.length > MAX_PRINTED_ROWS) && <PrintNote />}
        {sessions.length > 0 && (
          <SessionList
            sessions={sessions}
            now={now}
            group={group}
            isCompact={isCompact}
            hasMore={list.hasMore}
            onNearEnd={list.loadMore}
            selection={selection}
            cursorKey={cursor?.key ?? null}
            onCursor={(row) => setCursor(cursorOf(row))}
            onPeek={() => setPeeking(!isPeeking)}
            isPeekDocked={isWide}
          />
        )}
        {selection.isActive && <SelectionBar selection={selection} />}
      </div>
      {(isWide || (isPeeking && peeked !== null)) && (
        <PeekPanel id={peeked} onClose={isWide ? null : () => setPeeking(false)} />
      )}
    </>
  );
}

interface Cursor {
  readonly key: string;
  /** The first session of the row. */
  readonly id: string | null;
}

function cursorOf(row: ListRow): Cursor {
  const [first]: readonly (SessionRow | undefined)[] = sessionsOf(row);
  return { key: row.key, id: first?.id ?? null };
}

function FilterError({ error }: { readonly error: Error }) {
  return (
    <p className={styles['note']} role="alert">
      {error.message}
    </p>
  );
}

function NoMatch({ hidden, onClear }: { readonly hidden: number; readonly onClear: () => void }) {
  return (
    <p className={styles['note']} role="status">
      {hidden > 0 ? 'Only sessions without a prompt match.' : 'No sessions match.'}{' '}
      <button type="button" onClick={onClear}>
        Show all sessions
      </button>
    </p>
  );
}

/** A list that is not complete says so on paper. */
function PrintNote() {
  return (
    <p className="print-only print-note">
      This is only the first part of a longer list. Scroll down to load more before printing, or print a filtered list.
    </p>
  );
}

/** Sessions without a prompt are hidden until the user asks for them. */
function HiddenNote({ hidden, address }: { readonly hidden: number; readonly address: ListAddress }) {
  const isAll = address.search.all === true;
  if (hidden === 0 && !isAll) return null;
  const verb = hidden === 1 ? 'is' : 'are';
  return (
    <p className={`${styles['hidden']} no-print`}>
      {!isAll && `${plural(hidden, 'session')} without a prompt ${verb} hidden. `}
      <button type="button" onClick={() => address.change({ all: isAll ? undefined : true })}>
        {isAll ? 'Hide sessions without a prompt' : 'Show all'}
      </button>
    </p>
  );
}

/** What the first import saved; shown until it is dismissed, and never again. */
function RescueNote() {
  const { base, isDemo } = useRealm();
  const { data: status } = useStatus(base);
  const [seen, setSeen] = useSetting('rescue-seen');
  const isOwn = !isDemo && status?.is_demo === false;
  const isWanted = seen === null && isOwn && !isBusy(status) && status.sessions > 0;
  const { data } = useQuery({
    queryKey: [base, 'rescue'],
    queryFn: ({ signal }) => CLIENTS[base].get('/rescue', { signal }),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const sentence = !isWanted || data === undefined ? null : rescueSentence(data, new Date());
  if (sentence === null) return null;
  return (
    <div className={`${styles['rescue']} no-print`} role="status">
      <p>{sentence}</p>
      <button type="button" className={styles['icon']} aria-label="Dismiss" onClick={() => setSeen('yes')}>
        <X size={15} aria-hidden="true" />
      </button>
    </div>
  );
}

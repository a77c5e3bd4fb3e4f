import { useSearch as useAddress } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { FuelError } from '../../domain/errors.ts';
import { mergeFound } from '../../reading/hit-form.ts';
import { useRealm } from '../routing/realm.ts';
import { ErrorNotice, Loading } from '../shell/notice.tsx';
import { useSettled } from '../use-settled.ts';
import { noteSearch } from './recent-searches.ts';
import { BadQuery, NothingFound, SearchHelp } from './search-help.tsx';
import { Facets } from './facets.tsx';
import { useFacets, useSearch } from './queries.ts';
import { Results } from './results.tsx';
import styles from './search-page.module.css';
import type { SearchAnswer, SearchFacets, SearchSort } from '../../api/search.ts';
import { plural } from '../../reading/format.ts';
import { PageLink } from '../routing/page-link.tsx';

const TYPING_PAUSE_MS = 150;

/** All matches of a search by session; on the left, what they have in common. */
export function SearchPage() {
  const { base } = useRealm();
  const { q: text = '', sort: order } = useAddress({ strict: false });
  const sort = order === 'time' ? 'time' : 'relevance';
  const asked = useSettled(text, TYPING_PAUSE_MS);
  const search = useSearch(base, asked, sort);
  const { data: facets } = useFacets(base, asked);
  const sessions = useMemo(() => mergeFound(search.data?.pages ?? []), [search.data]);
  const isFound = sessions.length > 0;
  useEffect(() => {
    if (isFound) noteSearch(base, asked);
  }, [base, asked, isFound]);
  if (text.trim() === '') return <SearchHelp />;
  const { error, data, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage } = search;
  if (error instanceof FuelError && error.position !== undefined)
    return <BadQuery text={asked} error={error} position={error.position} />;
  if (error !== null && !isFound) return <ErrorNotice error={error} />;
  if (isPending) return <Loading what="Searching" />;
  if (!isFound && !hasNextPage && !isFetching) return <NothingFound text={asked} />;
  const last = data?.pages.at(-1);
  return (
    <div className={`${styles['columns']} print-flow`}>
      <p className="print-only">Search: {asked}</p>
      <Facets text={text} sort={sort} facets={facets} />
      <Results
        key={`${asked} ${sort}`}
        query={asked}
        sessions={sessions}
        isBusy={isFetching}
        head={<ResultsHead text={text} sort={sort} first={data?.pages[0]} facets={facets} />}
        more={
          hasNextPage
            ? { cut: last?.cut ?? null, isLoading: isFetchingNextPage, load: () => void fetchNextPage() }
            : null
        }
      />
    </div>
  );
}

interface ResultsHeadProps {
  readonly text: string;
  readonly sort: SearchSort;
  readonly first: SearchAnswer | undefined;
  readonly facets: SearchFacets | undefined;
}

const SORT_LABELS: Readonly<Record<SearchSort, string>> = { relevance: 'Best first', time: 'Newest first' };
const SORTS = Object.keys(SORT_LABELS) as readonly SearchSort[];

/** How much was found, and in which order it is. */
function ResultsHead({ text, sort, first, facets }: ResultsHeadProps) {
  return (
    <div className={styles['head']}>
      <p role="status">{first === undefined ? '' : countText(first, facets)}</p>
      <nav className={`${styles['sorts']} no-print`} aria-label="Order">
        {SORTS.map((one) => (
          <PageLink
            key={one}
            page={{ kind: 'search', text, sort: one }}
            aria-current={one === sort ? 'true' : undefined}
          >
            {SORT_LABELS[one]}
          </PageLink>
        ))}
      </nav>
    </div>
  );
}

/** The first answer counts the newest matches; the facets count all of them, if there was time for it. */
function countText(first: SearchAnswer, facets: SearchFacets | undefined): string {
  const { total, cut } = first;
  if (total.sessions === 0 && cut === null) return '';
  const isCounted = facets !== undefined && facets.sessions >= total.sessions;
  const { sessions, places } = isCounted ? facets : { ...total };
  const isAll = isCounted ? facets.is_complete : cut === null;
  const matches = places === 0 ? '' : `${plural(places, 'match', 'matches')} in `;
  return `${isAll ? '' : 'At least '}${matches}${plural(sessions, 'session')}`;
}

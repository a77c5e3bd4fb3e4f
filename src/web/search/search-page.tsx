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
import { ResultsHead } from './results-head.tsx';
import styles from './search-page.module.css';

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

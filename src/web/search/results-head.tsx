import type { SearchAnswer, SearchFacets, SearchSort } from '../../api/search.ts';
import { plural } from '../../reading/format.ts';
import { PageLink } from '../routing/page-link.tsx';
import styles from './search-page.module.css';

interface ResultsHeadProps {
  readonly text: string;
  readonly sort: SearchSort;
  readonly first: SearchAnswer | undefined;
  readonly facets: SearchFacets | undefined;
}

const SORT_LABELS: Readonly<Record<SearchSort, string>> = { relevance: 'Best first', time: 'Newest first' };
const SORTS = Object.keys(SORT_LABELS) as readonly SearchSort[];

/** How much was found, and in which order it is. */
export function ResultsHead({ text, sort, first, facets }: ResultsHeadProps) {
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

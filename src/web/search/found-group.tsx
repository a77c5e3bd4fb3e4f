import type { FoundSession, SearchHit } from '../../api/search.ts';
import { formatCost, formatDateTime, formatExact, plural, shortModel } from '../../reading/format.ts';
import { titleOf } from '../../reading/names.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import { HitView } from './hit-view.tsx';
import { useHits } from './queries.ts';
import styles from './search-page.module.css';

interface FoundGroupProps {
  readonly query: string;
  readonly session: FoundSession;
  readonly cursor: string;
  /** All matches are shown, not only the best. */
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** Called with the result that the pointer or the focus is on. */
  readonly onPoint: (key: string) => void;
}

/** A session with its matches. */
export function FoundGroup({ query, session, cursor, isOpen, onToggle, onPoint }: FoundGroupProps) {
  const { base } = useRealm();
  const { session_id: id, hits: best, places } = session;
  const { data, error, isFetching } = useHits(base, id, query, isOpen);
  const hits = isOpen && data !== undefined ? data.hits : best;
  const isAll = isOpen && data !== undefined;
  const more = places - best.length;
  return (
    <section className={styles['session']} aria-label={titleOf(session)}>
      <GroupHead query={query} session={session} isCurrent={cursor === id} />
      {hits.length > 0 && (
        <ol>
          {hits.map((hit, index) => {
            const key = keyOf(id, hit, index);
            return (
              <li
                key={key}
                data-hit={key}
                data-session={id}
                data-current={key === cursor || undefined}
                onFocus={() => onPoint(key)}
              >
                <HitView sessionId={id} query={query} hit={hit} />
              </li>
            );
          })}
        </ol>
      )}
      {(more > 0 || isOpen) && (
        <button type="button" className={styles['all']} aria-expanded={isOpen} onClick={onToggle}>
          {isAll
            ? 'Show only the best'
            : isFetching
              ? 'Loading…'
              : `${plural(more, 'more match', 'more matches')} in this session`}
        </button>
      )}
      {isAll && !data.is_complete && (
        <p className={styles['note']}>The search stopped after two seconds; this session has more matches.</p>
      )}
      {isAll && data.total > data.hits.length && (
        <p className={styles['note']}>
          These are the first {plural(data.hits.length, 'match', 'matches')} of {data.total}.
        </p>
      )}
      {isOpen && error !== null && <p role="alert">{error.message}</p>}
    </section>
  );
}

/** Names a match in a list of results. */
export function keyOf(id: string, { kind, ordinal, block }: SearchHit, index: number): string {
  return ordinal === null ? `${id} ${kind} ${index}` : `${id} ${kind} ${ordinal} ${block}`;
}

interface GroupHeadProps {
  readonly query: string;
  readonly session: FoundSession;
  readonly isCurrent: boolean;
}

/** Without matches of its own, the session itself is the result. */
function GroupHead({ query, session, isCurrent }: GroupHeadProps) {
  const { session_id: id, started_at, places, hits } = session;
  const facts = [
    session.workspace_name,
    session.git_branch,
    shortModel(session.model),
    formatCost(session.cost_estimate_usd),
  ];
  const isResult = hits.length === 0;
  const result = isResult ? { 'data-hit': id, 'data-session': id, 'data-current': isCurrent || undefined } : {};
  return (
    <header {...result}>
      <h2>
        <PageLink page={{ kind: 'session', id, ...(isResult ? {} : { q: query }) }} dir="auto">
          {titleOf(session)}
        </PageLink>
      </h2>
      <p>
        {facts.map((fact, index) => fact !== null && fact !== '' && <bdi key={index}>{fact}</bdi>)}
        {places > 1 && <span>{plural(places, 'match', 'matches')}</span>}
        <time dateTime={started_at} title={formatExact(started_at)}>
          {formatDateTime(started_at, new Date())}
        </time>
      </p>
    </header>
  );
}

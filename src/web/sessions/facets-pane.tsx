import type { Facet, FacetReport } from '../../api/facets.ts';
import type { FacetField } from '../../domain/facets.ts';
import { addTerm, formatTerm, removeTerm, splitTerms } from '../../reading/query/terms.ts';
import { FIELDS } from '../../domain/session-fields.ts';
import { formatNanos, formatCount, plural, shortModel } from '../../reading/format.ts';
import styles from './facets-pane.module.css';

interface FacetsPaneProps {
  readonly report: FacetReport | undefined;
  readonly query: string;
  readonly onQuery: (query: string) => void;
}

const NAMES: Readonly<Record<FacetField, string>> = {
  workspace: 'Workspace',
  branch: 'Branch',
  model: 'Model',
  tag: 'Tag',
  kind: 'Kind of work',
  is: 'State',
  has: 'With',
  device: 'Device',
};

/** How many of the sessions have which values; choosing one adds it to the filter, choosing it again removes it. */
export function FacetsPane({ report, query, onQuery }: FacetsPaneProps) {
  return (
    <aside className={`scroll no-print ${styles['pane']}`} aria-label="Filters by value" tabIndex={0}>
      {report !== undefined && (
        <p className={styles['total']}>
          {plural(report.sessions, 'session')} · {formatNanos(report.cost_nanos)}
        </p>
      )}
      {report?.facets.map((facet) => (
        <FacetGroup key={facet.field} facet={facet} query={query} onQuery={onQuery} />
      ))}
    </aside>
  );
}

interface FacetGroupProps extends Omit<FacetsPaneProps, 'report'> {
  readonly facet: Facet;
}

function FacetGroup({ facet: { field, values, more }, query, onQuery }: FacetGroupProps) {
  const terms = splitTerms(query);
  return (
    <section className={styles['group']}>
      <h2 title={FIELDS[field].about}>{NAMES[field]}</h2>
      <ul>
        {values.map(({ value, label, sessions }) => {
          const term = formatTerm(field, value);
          if (term === null) return null;
          const isChosen = terms.includes(term);
          return (
            <li key={value}>
              <button
                type="button"
                className={styles['value']}
                aria-pressed={isChosen}
                title={term}
                onClick={() => onQuery(isChosen ? removeTerm(query, term) : addTerm(query, term))}
              >
                <bdi data-wrap={field === 'workspace' || undefined}>{labelOf(field, label)}</bdi>
                <span>{formatCount(sessions)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {more > 0 && <p className={styles['more']}>and {formatCount(more)} more</p>}
    </section>
  );
}

function labelOf(field: FacetField, label: string): string {
  if (field === 'model') return shortModel(label);
  return field === 'is' || field === 'has' ? label.replaceAll('_', ' ') : label;
}

import { useState } from 'react';
import type { SearchFacets, SearchSort } from '../../api/search.ts';
import { addTerm, formatTerm, removeTerm, splitTerms } from '../../reading/query/terms.ts';
import { FIELDS, type Field, type FieldName } from '../../domain/session-fields.ts';
import { formatCount, shortModel } from '../../reading/format.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useEntryState } from '../routing/entry-state.ts';
import styles from './facets.module.css';

interface FacetsProps {
  readonly text: string;
  readonly sort: SearchSort;
  readonly facets: SearchFacets | undefined;
}

interface FacetGroup {
  readonly field: FieldName;
  readonly values: readonly { readonly value: string; readonly label: string; readonly count: number }[];
  readonly more: number;
}

const TITLES: Readonly<Partial<Record<FieldName, string>>> = {
  type: 'Found in',
  workspace: 'Workspace',
  branch: 'Branch',
  model: 'Model',
  tool: 'Tool',
  tag: 'Tag',
  kind: 'Kind of work',
  is: 'State',
  has: 'With',
  device: 'Device',
};

/** What the matches have in common; each value is a filter of the search. */
export function Facets({ text, sort, facets }: FacetsProps) {
  const [isOpen, setOpen] = useState(false);
  const terms = splitTerms(text);
  const groups = facets === undefined ? [] : groupsOf(facets);
  return (
    <aside className={`${styles['pane']} no-print`} aria-label="Filters" data-open={isOpen || undefined}>
      <button type="button" className={styles['toggle']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters
      </button>
      <div className={styles['groups']}>
        {facets?.is_complete === false && (
          <p className={styles['note']}>Counting stopped after two seconds: these are the newest matches.</p>
        )}
        {groups.map((group) => (
          <Group key={group.field} group={group} text={text} sort={sort} terms={terms} />
        ))}
      </div>
    </aside>
  );
}

function groupsOf({ facets, types, tools }: SearchFacets): readonly FacetGroup[] {
  const byPlaces = (field: FieldName, counted: SearchFacets['types']): FacetGroup => ({
    field,
    values: counted.map(({ value, places }) => ({ value, label: value, count: places })),
    more: 0,
  });
  const [types0, tools0] = [byPlaces('type', types), byPlaces('tool', tools)];
  const bySessions = facets.map(({ field, values, more }) => ({
    field,
    values: values.map(({ value, label, sessions }) => ({ value, label, count: sessions })),
    more,
  }));
  return [types0, ...bySessions.slice(0, 2), tools0, ...bySessions.slice(2)].filter(({ values }) => values.length > 0);
}

const FIRST_VALUES = 6;

interface GroupProps {
  readonly group: FacetGroup;
  readonly text: string;
  readonly sort: SearchSort;
  readonly terms: readonly string[];
}

function Group({ group: { field, values, more }, text, sort, terms }: GroupProps) {
  const [isAll, setAll] = useEntryState(`facet-${field}`, false);
  const shown = isAll ? values : values.slice(0, FIRST_VALUES);
  const title = TITLES[field] ?? field;
  return (
    <section className={styles['group']} aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {shown.map(({ value, label, count }) => {
          const term = formatTerm(field, value);
          if (term === null) return null;
          const isActive = terms.includes(term);
          const next = isActive ? removeTerm(text, term) : addTerm(text, term);
          return (
            <li key={value}>
              <PageLink
                page={{ kind: 'search', text: next, sort }}
                aria-current={isActive ? 'true' : undefined}
                title={(FIELDS[field] as Field).values?.[value] ?? label}
              >
                <bdi data-wrap={field === 'workspace' || undefined}>
                  {field === 'model' ? shortModel(label) : label.replaceAll('_', ' ')}
                </bdi>
                <span className={styles['count']}>{formatCount(count)}</span>
              </PageLink>
            </li>
          );
        })}
      </ul>
      {values.length > FIRST_VALUES && (
        <button type="button" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Show fewer' : `${formatCount(values.length - FIRST_VALUES)} more`}
        </button>
      )}
      {isAll && more > 0 && (
        <p className={styles['note']}>
          {formatCount(more)} further values are not listed; type {field}: in the search field.
        </p>
      )}
    </section>
  );
}

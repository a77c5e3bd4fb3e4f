import { type RawBuilder, sql } from 'kysely';
import type { Facet, FacetReport } from '../../../api/facets.ts';
import { shortDeviceId } from '../../../domain/device.ts';
import { distinctLabels, shortPlaces } from '../../../domain/distinct-labels.ts';
import { FACET_FIELDS, type FacetField } from '../../../domain/facets.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import { workspacePlace } from '../../../domain/workspace.ts';
import type { Engine, Tx } from '../../engine.ts';
import { DEVICE_NAME, safeSumOrZero } from '../../sql.ts';
import { selectedSessions } from './field-conditions.ts';
import { SESSION_HAS, SESSION_IS } from './session-conditions.ts';

const MAX_VALUES = 20;

interface Counted {
  readonly field: FacetField | 'all';
  readonly value: string;
  readonly sessions: number;
  readonly nanos: number;
}

/** The columns that the counts and conditions below read. */
const CHOSEN_COLUMNS = sql.join(
  `id revision workspace_id device_id lifecycle parse_status git_branch models work_kind unknown_models summary_kind
  subagent_count thinking_blocks cost_nanos`
    .split(/\s+/)
    .map((name) => sql.ref(`s.${name}`)),
);

/** Counts each value as often as a filter by it finds a session. */
export async function readFacets(engine: Engine, selection: SessionSelection): Promise<FacetReport> {
  const parts = [
    sql`SELECT 'all' AS field, '' AS value, count(*) AS sessions, ${safeSumOrZero(sql`s.cost_nanos`)} AS nanos FROM chosen s`,
    ...VALUE_COUNTS.map((counts) => counts(engine)),
    ...Object.entries(SESSION_IS).map(([value, condition]) => countFact('is', value, condition)),
    ...Object.entries(SESSION_HAS).map(([value, condition]) => countFact('has', value, condition)),
  ];
  const { rows } = await sql<Counted>`WITH chosen AS MATERIALIZED (
      SELECT ${CHOSEN_COLUMNS} FROM sessions s WHERE ${selectedSessions(engine, selection)} AND ${engine.inTime}
    ) ${sql.join(parts, sql` UNION ALL `)}`.execute(engine.kysely);
  const all = rows.find(({ field }) => field === 'all');
  const names = await readNames(engine.kysely);
  return {
    sessions: all?.sessions ?? 0,
    cost_nanos: all?.nanos ?? 0,
    facets: FACET_FIELDS.map((field) => toFacet(field, rows, names)).filter(({ values }) => values.length > 0),
  };
}

/** Every query counts rows of `chosen s`, whose columns are those of a session. */
const VALUE_COUNTS: readonly ((engine: Engine) => RawBuilder<unknown>)[] = [
  () => countBy('workspace', sql`s.workspace_id`, sql`chosen s`),
  () => countBy('device', sql`s.device_id`, sql`chosen s`),
  () => countBy('kind', sql`s.work_kind`, sql`chosen s WHERE s.work_kind IS NOT NULL`),
  () => countBy('tag', sql`t.tag`, sql`chosen s JOIN session_tags t ON t.session_id = s.id`),
  (engine) => countBy('model', engine.lower(sql`item.value`), sql`chosen s, ${engine.listItems(sql`s.models`)}`),
  // A session counts for the branch it started on and for every branch it committed on.
  (engine) =>
    countBy(
      'branch',
      sql`b.branch`,
      sql`(SELECT s.id, ${engine.lower(sql`s.git_branch`)} AS branch FROM chosen s WHERE s.git_branch IS NOT NULL
        UNION SELECT g.session_id, ${engine.lower(sql`g.branch`)} FROM git_activity g JOIN chosen s ON s.id = g.session_id
          WHERE g.duplicate_of IS NULL AND g.branch IS NOT NULL) b`,
    ),
];

function countBy(field: FacetField, value: RawBuilder<unknown>, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`SELECT ${sql.lit(field)}, ${value}, count(*), 0 FROM ${rows} GROUP BY ${value}`;
}

function countFact(field: FacetField, value: string, condition: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`SELECT ${sql.lit(field)}, ${sql.lit(value)}, count(*), 0 FROM chosen s WHERE ${condition}`;
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  /** Folder or remote of a workspace. */
  readonly place: string | null;
}

type Names = Readonly<Partial<Record<FacetField, ReadonlyMap<string, Named>>>>;

async function readNames(db: Tx): Promise<Names> {
  const workspaces = await db.selectFrom('workspaces').select(['id', 'display_name as name', 'canonical_id']).execute();
  const devices = await db
    .selectFrom('devices as d')
    .select(['d.id', DEVICE_NAME.as('name')])
    .execute();
  const named = workspaces.map((row) => ({ ...row, place: workspacePlace(row.canonical_id) }));
  return {
    workspace: withLabels(named, shortPlaces(named)),
    device: withLabels(
      devices.map((row) => ({ ...row, place: null })),
      shortDeviceId,
    ),
  };
}

function withLabels(
  rows: readonly Omit<Named, 'label'>[],
  placeOf: (id: string) => string,
): ReadonlyMap<string, Named> {
  const labels = distinctLabels(
    rows.map(({ id, name }) => ({ key: id, label: name })),
    placeOf,
  );
  return new Map(rows.map((row) => [row.id, { ...row, label: labels.get(row.id) ?? row.name }]));
}

function toFacet(field: FacetField, rows: readonly Counted[], names: Names): Facet {
  const found = rows.filter((row) => row.field === field && row.sessions > 0);
  // A facet with a single device is not useful.
  if (field === 'device' && found.length < 2) return { field, values: [], more: 0 };
  const values = found.map(({ value, sessions }) => ({ ...spell(field, value, names), sessions }));
  values.sort((a, b) => b.sessions - a.sessions || (a.label < b.label ? -1 : 1));
  return { field, values: values.slice(0, MAX_VALUES), more: Math.max(0, values.length - MAX_VALUES) };
}

interface Spelled {
  readonly value: string;
  readonly label: string;
}

/** `=` before a value matches exactly this value. */
function spell(field: FacetField, value: string, names: Names): Spelled {
  if (field === 'branch' || field === 'model') return { value: `=${value}`, label: value };
  const known = names[field];
  const own = known?.get(value);
  if (known === undefined || own === undefined) return { value, label: value };
  return spellNamed(
    own,
    [...known.values()].filter(({ name }) => name.toLowerCase() === own.name.toLowerCase()),
  );
}

/** A name where it is unique, otherwise the place; the id where neither is or can be written in a query. */
function spellNamed({ id, name, label, place }: Named, same: readonly Named[]): Spelled {
  const text = same.length === 1 ? name : place;
  const isUnique = text !== null && (text === name || same.filter((other) => other.place === place).length === 1);
  return { value: isUnique && canBeWritten(text) ? text : id, label };
}

function canBeWritten(value: string): boolean {
  return value !== '' && value.trim() === value && !/["\\]/.test(value);
}

import { type RawBuilder, sql } from 'kysely';
import type { FieldValues } from '../../../api/search.ts';
import {
  FIELDS,
  type Field,
  isStoredField,
  type StoredField,
  type ValueField,
} from '../../../domain/session-fields.ts';
import type { Engine } from '../../engine.ts';
import { DEVICE_NAME } from '../../sql.ts';
import { cleanText } from '../../text.ts';
import { sessionCondition } from '../sessions/field-conditions.ts';
import { begins, type Condition, contains, type TextValue } from '../sessions/session-conditions.ts';

interface ValuesQuery {
  /** Only values that contain this. */
  readonly contains?: string | undefined;
  readonly limit: number;
  /** The sessions `s` to look at. */
  readonly sessions: Condition;
}

/** The values of a field in some sessions, most frequent first, each with the number of sessions that it matches. */
export function listFieldValues(engine: Engine, field: ValueField, query: ValuesQuery): Promise<FieldValues> {
  return isStoredField(field) ? listStored(engine, field, query) : listChoices(engine, field, query);
}

async function listStored(engine: Engine, field: StoredField, query: ValuesQuery): Promise<FieldValues> {
  const part = query.contains === undefined ? null : textValue(query.contains);
  const wanted = part === null ? sql`TRUE` : contains(engine, sql`p.value`, part);
  const { rows } = await sql<{ value: string; sessions: number }>`
    SELECT p.value, count(DISTINCT p.id) AS sessions FROM (${pairsOf(engine, field, query.sessions)}) p
    WHERE p.value IS NOT NULL AND p.value <> '' AND ${wanted}
    GROUP BY p.value ORDER BY sessions DESC, ${engine.lower(sql`p.value`)} LIMIT ${query.limit + 1}`.execute(
    engine.kysely,
  );
  const values = await recount(engine, field, query, rows.slice(0, query.limit));
  return { field, values: values.toSorted(byCount), has_more: rows.length > query.limit };
}

function textValue(text: string): TextValue {
  return { type: 'text', text: cleanText(text).replaceAll(/[A-Z]+/g, (some) => some.toLowerCase()), isPrefix: false };
}

type CountedValue = FieldValues['values'][number];

function byCount(a: CountedValue, b: CountedValue): number {
  return b.sessions - a.sessions || (a.value < b.value ? -1 : 1);
}

/** Fields that match more than equal values: `model:claude-opus-4` also matches claude-opus-4-6. */
const MATCHES: Readonly<Partial<Record<StoredField, typeof contains>>> = {
  model: contains,
  branch: contains,
  version: begins,
};

async function recount(
  engine: Engine,
  field: StoredField,
  { sessions }: ValuesQuery,
  values: readonly CountedValue[],
): Promise<readonly CountedValue[]> {
  const matches = MATCHES[field];
  if (matches === undefined || values.length < 2) return values;
  const counts = values.map(
    ({ value }, at) =>
      sql`count(DISTINCT CASE WHEN ${matches(engine, sql`p.value`, textValue(value))} THEN p.id END) AS ${sql.ref(`n${at}`)}`,
  );
  const { rows } = await sql<Readonly<Record<string, number>>>`
    SELECT ${sql.join(counts)} FROM (${pairsOf(engine, field, sessions)}) p`.execute(engine.kysely);
  return values.map(({ value }, at) => ({ value, sessions: rows[0]?.[`n${at}`] ?? 0 }));
}

async function listChoices(engine: Engine, field: ValueField, query: ValuesQuery): Promise<FieldValues> {
  const choices = Object.keys((FIELDS[field] as Field).values ?? {});
  const counts = choices.map((text, at) => {
    const holds = sessionCondition(engine, { kind: 'field', field, value: { type: 'text', text, isPrefix: false } });
    return sql`count(CASE WHEN ${holds} THEN 1 END) AS ${sql.ref(`n${at}`)}`;
  });
  const { rows } = await sql<Readonly<Record<string, number>>>`
    SELECT ${sql.join(counts)} FROM sessions s WHERE ${query.sessions} AND ${engine.inTime}`.execute(engine.kysely);
  const part = query.contains?.toLowerCase() ?? '';
  const found = choices
    .map((value, at) => ({ value, sessions: rows[0]?.[`n${at}`] ?? 0 }))
    .filter(({ value, sessions }) => sessions > 0 && value.includes(part))
    .toSorted(byCount);
  return { field, values: found.slice(0, query.limit), has_more: found.length > query.limit };
}

/** Sessions with their values, not necessarily distinct. */
function pairsOf(engine: Engine, field: StoredField, sessions: Condition): RawBuilder<unknown> {
  const where = sql`${sessions} AND ${engine.inTime}`;
  const items = (list: string) =>
    sql`SELECT s.id, item.value AS value FROM sessions s CROSS JOIN ${engine.listItems(sql.ref(`s.${list}`))} WHERE ${where}`;
  const column = (name: string) => sql`SELECT s.id, ${sql.ref(`s.${name}`)} AS value FROM sessions s WHERE ${where}`;
  const rows = (table: string, name: string) => sql`SELECT s.id, ${sql.ref(`x.${name}`)} AS value FROM sessions s
    JOIN ${sql.table(table)} x ON x.session_id = s.id AND x.revision = s.revision WHERE ${where}`;
  switch (field) {
    case 'model':
      return items('models');
    case 'speed':
      return items('speeds');
    case 'tier':
      return items('service_tiers');
    case 'version':
      return column('cc_version');
    case 'tool':
      return rows('call_sums', 'name');
    case 'file':
      return rows('touched_files', 'path');
    case 'agent':
      return sql`${rows('subagents', 'agent_type')} UNION ALL ${rows('subagents', 'agent_name')}`;
    case 'branch':
      return sql`${column('git_branch')} UNION ALL SELECT s.id, g.branch AS value FROM sessions s
        JOIN git_activity g ON g.session_id = s.id AND g.duplicate_of IS NULL WHERE ${where}`;
    case 'tag':
      return sql`SELECT s.id, t.tag AS value FROM sessions s JOIN session_tags t ON t.session_id = s.id WHERE ${where}`;
    case 'workspace':
      return sql`SELECT s.id, w.display_name AS value FROM sessions s JOIN workspaces w ON w.id = s.workspace_id
        WHERE ${where}`;
    case 'device':
      return sql`SELECT s.id, ${DEVICE_NAME} AS value FROM sessions s
        JOIN devices d ON d.id = s.device_id WHERE ${where}`;
    default:
      return field satisfies never;
  }
}

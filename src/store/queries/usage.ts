import { type RawBuilder, sql } from 'kysely';
import { FuelError } from '../../domain/errors.ts';
import type { UsageGroup, UsageQuery, UsageReport, UsageRow, UsageSum } from '../../domain/query.ts';
import { SLOT_MS } from '../../domain/usage.ts';
import type { Tx } from '../engine.ts';
import { cleanText } from '../text.ts';

/** Days and hours are made of slots here, since no engine knows every zone; the others are columns. */
const COLUMNS: Readonly<Record<Exclude<UsageGroup, 'day' | 'hour'>, RawBuilder<string>>> = {
  model: sql`u.model`,
  workspace: sql`w.display_name`,
  device: sql`d.name`,
  branch: sql`u.git_branch`,
  session: sql`u.session_id`,
  agent: sql`CASE WHEN u.is_subagent THEN 'subagent' ELSE 'main' END`,
};

const MAX_ROWS_READ = 500_000;
const MAX_ROWS = 5_000;

/** What was used, by whatever is asked for. A sum over all of it is the sum over all sessions. Errors: too_large. */
export async function readUsage(db: Tx, query: UsageQuery): Promise<UsageReport> {
  const found = await sumSlots(db, query);
  if (found.length > MAX_ROWS_READ) throw tooMuch();
  const labelOf = slotLabels(query.zone);
  const rows = new Map<string, UsageRow>();
  for (const { slot, keys, ...sum } of found) {
    const values = query.by.map((group, at) =>
      group === 'day' || group === 'hour' ? labelOf(slot ?? 0, group) : (keys[at] ?? ''),
    );
    const key = JSON.stringify(values);
    const known = rows.get(key);
    const group = Object.fromEntries(query.by.map((name, at) => [name, values[at] ?? '']));
    rows.set(key, { group, ...(known === undefined ? sum : add(known, sum)) });
  }
  if (rows.size > MAX_ROWS) throw tooMuch();
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return { total: sorted.reduce<UsageSum>(add, NOTHING), rows: sorted };
}

interface SlotSum extends UsageSum {
  readonly slot: number | null;
  readonly keys: readonly string[];
}

async function sumSlots(db: Tx, query: UsageQuery): Promise<readonly SlotSum[]> {
  const hasTime = query.by.includes('day') || query.by.includes('hour');
  const slot = hasTime ? sql<number | null>`u.time_slot` : sql<number | null>`CAST(NULL AS BIGINT)`;
  const keys = query.by.map((group) => (group === 'day' || group === 'hour' ? sql`''` : COLUMNS[group]));
  const names = keys.map((_, at) => sql.ref(`key${at}`));
  const columns = keys.map((key, at) => sql`, CAST(${key} AS TEXT) AS ${names[at] ?? sql``}`);
  const grouped = keys.filter((_, at) => !['day', 'hour'].includes(query.by[at] ?? ''));
  const groups = [...(hasTime ? [sql`u.time_slot`] : []), ...grouped];
  const { rows } = await sql<Readonly<Record<string, string | number | null>>>`
    SELECT ${slot} AS slot ${sql.join(columns, sql` `)},
      ${sum('messages')}, ${sum('unpriced_messages')}, ${sum('tokens_in')}, ${sum('tokens_out')},
      ${sum('cache_read', 'cache_read_tokens')}, ${sum('cache_write', 'cache_write_tokens')}, ${sum('cost_nanos')}
    FROM usage_rollups u JOIN sessions s ON s.id = u.session_id
    JOIN workspaces w ON w.id = s.workspace_id JOIN devices d ON d.id = s.device_id
    WHERE ${sql.join(conditionsOf(query), sql` AND `)}
    ${groups.length === 0 ? sql`` : sql`GROUP BY ${sql.join(groups)}`}
    LIMIT ${MAX_ROWS_READ + 1}`.execute(db);
  return rows.map((row) => ({
    slot: row.slot as number | null,
    keys: query.by.map((_, at) => String(row[`key${at}`] ?? '')),
    messages: Number(row.messages),
    unpriced_messages: Number(row.unpriced_messages),
    tokens_in: Number(row.tokens_in),
    tokens_out: Number(row.tokens_out),
    cache_read_tokens: Number(row.cache_read_tokens),
    cache_write_tokens: Number(row.cache_write_tokens),
    cost_nanos: Number(row.cost_nanos),
  }));
}

const sum = (column: string, name = column) =>
  sql`CAST(coalesce(sum(u.${sql.ref(column)}), 0) AS BIGINT) AS ${sql.ref(name)}`;

function conditionsOf({ after, before, workspaceId, deviceId, model }: UsageQuery): RawBuilder<boolean>[] {
  const slotOf = (time: string) => Math.ceil(Date.parse(time) / SLOT_MS);
  const given: (RawBuilder<boolean> | null)[] = [
    after === undefined ? null : sql`u.time_slot >= ${slotOf(after)}`,
    before === undefined ? null : sql`u.time_slot < ${slotOf(before)}`,
    workspaceId === undefined ? null : sql`s.workspace_id = ${workspaceId}`,
    deviceId === undefined ? null : sql`s.device_id = ${deviceId}`,
    model === undefined ? null : sql`substr(u.model, 1, ${sql.lit(model.length)}) = ${cleanText(model)}`,
  ];
  return [sql<boolean>`TRUE`, ...given.filter((condition) => condition !== null)];
}

/** The day or hour of a slot in a zone; each slot is worked out once. */
function slotLabels(zone: string): (slot: number, group: 'day' | 'hour') => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  const known = new Map<number, { readonly day: string; readonly hour: string }>();
  return (slot, group) => {
    let labels = known.get(slot);
    if (labels === undefined) {
      const part = Object.fromEntries(format.formatToParts(slot * SLOT_MS).map(({ type, value }) => [type, value]));
      const day = `${part['year']}-${part['month']}-${part['day']}`;
      labels = { day, hour: `${day}T${part['hour']}` };
      known.set(slot, labels);
    }
    return labels[group];
  };
}

const NOTHING: UsageSum = {
  messages: 0,
  unpriced_messages: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_nanos: 0,
};

function add(a: UsageSum, b: UsageSum): UsageSum {
  return {
    messages: a.messages + b.messages,
    unpriced_messages: a.unpriced_messages + b.unpriced_messages,
    tokens_in: a.tokens_in + b.tokens_in,
    tokens_out: a.tokens_out + b.tokens_out,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    cost_nanos: a.cost_nanos + b.cost_nanos,
  };
}

function tooMuch(): FuelError {
  return new FuelError('too_large', 'That would be too many rows to be told at once.', {
    hint: 'Ask for a shorter time with after and before, or by fewer things.',
  });
}

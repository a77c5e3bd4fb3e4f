import { type RawBuilder, sql } from 'kysely';
import type { UsageReport, UsageRow } from '../../../api/usage.ts';
import { shortDeviceId } from '../../../domain/device.ts';
import { distinctLabels } from '../../../domain/distinct-labels.ts';
import { FuelError } from '../../../domain/errors.ts';
import type { SearchNode } from '../../../domain/search.ts';
import { addUsage, NO_SLOT, NO_USAGE, type UsageGroup, type UsageSum } from '../../../domain/usage.ts';
import { workspacePlace } from '../../../domain/workspace.ts';
import { type Calendar, createCalendar } from '../../../lib/calendar.ts';
import type { Engine, Tx } from '../../engine.ts';
import { DEVICE_NAME, safeSumOrZero } from '../../sql.ts';
import { sessionCondition, usageCondition } from '../sessions/field-conditions.ts';

interface UsageRequest {
  readonly by?: readonly UsageGroup[] | undefined;
  readonly zone: string;
  /** Of these sessions. */
  readonly where: SearchNode | null;
  /** Of the usage itself: time and model. */
  readonly usage: SearchNode | null;
}

const MAX_ROWS_READ = 500_000;

/** Usage by the requested groups. The groups add up to the total of all sessions. Errors: too_large. */
export async function readUsage(engine: Engine, query: UsageRequest): Promise<UsageReport> {
  const by = query.by ?? [];
  const columns = [...new Set(by.map((group) => (group === 'day' || group === 'hour' ? 'slot' : group)))];
  const found = await sumUsage(engine.kysely, columns, { ...withinOf(engine, query), limit: MAX_ROWS_READ + 1 });
  if (found.length > MAX_ROWS_READ) throw tooMuch();
  const calendar = createCalendar(query.zone);
  const labels = await loadLabels(engine.kysely, found);
  const rows = new Map<string, UsageRow>();
  for (const sum of found) {
    const names = by.map((group) => [group, nameOf(sum, group, { calendar, labels })]);
    const key = JSON.stringify(names);
    rows.set(key, { group: Object.fromEntries(names), ...addUsage(rows.get(key) ?? NO_USAGE, sum) });
  }
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return { total: sorted.reduce(addUsage, NO_USAGE), rows: sorted };
}

interface Names {
  readonly calendar: Calendar;
  /** Of workspaces and devices. */
  readonly labels: ReadonlyMap<string, string>;
}

function nameOf(sum: SummedUsage, group: UsageGroup, { calendar, labels }: Names): string {
  if ((group === 'day' || group === 'hour') && sum.slot === NO_SLOT) return '';
  if (group === 'day') return calendar.dayOf(sum.slot ?? 0);
  if (group === 'hour') return calendar.hourOf(sum.slot ?? 0);
  const key = sum[group] ?? '';
  return group === 'workspace' || group === 'device' ? (labels.get(key) ?? key) : key;
}

/** The names of workspaces and devices by their ids; different ones with the same name are not one row. */
async function loadLabels(db: Tx, found: readonly SummedUsage[]): Promise<ReadonlyMap<string, string>> {
  const idsOf = (column: 'workspace' | 'device') => new Set(found.flatMap((sum) => sum[column] ?? []));
  const [workspaceIds, deviceIds] = [idsOf('workspace'), idsOf('device')];
  const workspaces =
    workspaceIds.size === 0
      ? []
      : await db.selectFrom('workspaces').select(['id as key', 'display_name as label', 'canonical_id']).execute();
  const devices =
    deviceIds.size === 0
      ? []
      : await db
          .selectFrom('devices as d')
          .select(['d.id as key', DEVICE_NAME.as('label')])
          .execute();
  const places = new Map(workspaces.map(({ key, canonical_id }) => [key, workspacePlace(canonical_id)]));
  return new Map([
    ...distinctLabels(
      workspaces.filter(({ key }) => workspaceIds.has(key)),
      (key) => places.get(key) ?? key,
    ),
    ...distinctLabels(
      devices.filter(({ key }) => deviceIds.has(key)),
      shortDeviceId,
    ),
  ]);
}

function withinOf(engine: Engine, { where, usage }: UsageRequest): UsageWithin {
  return {
    ...(where === null ? {} : { session: sessionCondition(engine, where) }),
    ...(usage === null ? {} : { usage: usageCondition(engine, usage) }),
  };
}

function tooMuch(): FuelError {
  return new FuelError('too_large', 'The report would have too many rows.', {
    hint: 'Use a shorter period (after, before) or fewer groups.',
  });
}

/**
 * The columns usage can be grouped by. Times are quarters of an hour, from which days in any time zone are built, since
 * no engine knows every zone.
 */
const COLUMNS = {
  session: sql`u.session_id`,
  slot: sql`u.time_slot`,
  model: sql`u.model`,
  rate: sql`u.rate_id`,
  branch: sql`u.git_branch`,
  agent: sql`CASE WHEN u.is_subagent THEN 'subagent' ELSE 'main' END`,
  workspace: sql`coalesce(w.merged_into, w.id)`,
  device: sql`d.id`,
} as const satisfies Readonly<Record<string, RawBuilder<unknown>>>;

export type UsageColumn = keyof typeof COLUMNS;

interface UsageWithin {
  /** Quarters of an hour from `from` (inclusive) to `to` (exclusive). */
  readonly from?: number;
  readonly to?: number;
  /** A condition on the session `s`. */
  readonly session?: RawBuilder<boolean>;
  /** A condition on the usage `u`. */
  readonly usage?: RawBuilder<boolean>;
  /** Maximum number of rows. */
  readonly limit?: number;
}

interface SummedUsage extends UsageSum, Readonly<Partial<Record<Exclude<UsageColumn, 'slot'>, string>>> {
  readonly slot?: number;
  readonly cache_write_1h_tokens: number;
}

/** Sums the rollups by these columns; the source of every usage and cost figure. */
export async function sumUsage(
  db: Tx,
  apart: readonly UsageColumn[],
  within: UsageWithin,
): Promise<readonly SummedUsage[]> {
  const hasPlace = apart.some((column) => column === 'workspace' || column === 'device');
  const names = apart.map((column) => sql`${COLUMNS[column]} AS ${sql.ref(column)},`);
  const { rows } = await sql<SummedUsage>`
    SELECT ${sql.join(names, sql` `)}
      ${sum('messages')}, ${sum('unpriced_messages')}, ${sum('tokens_in')}, ${sum('tokens_out')},
      ${sum('cache_read', 'cache_read_tokens')}, ${sum('cache_write', 'cache_write_tokens')},
      ${sum('cache_write_1h', 'cache_write_1h_tokens')}, ${sum('cost_nanos')}
    FROM usage_rollups u ${hasPlace || within.session !== undefined ? PLACES : sql``}
    WHERE ${sql.join(conditionsOf(within), sql` AND `)}
    ${apart.length === 0 ? sql`` : sql`GROUP BY ${sql.join(apart.map((column) => COLUMNS[column]))}`}
    ${within.limit === undefined ? sql`` : sql`LIMIT ${within.limit}`}`.execute(db);
  return rows;
}

const PLACES = sql`JOIN sessions s ON s.id = u.session_id
  JOIN workspaces w ON w.id = s.workspace_id JOIN devices d ON d.id = s.device_id`;

const sum = (column: string, name = column) => sql`${safeSumOrZero(sql`u.${sql.ref(column)}`)} AS ${sql.ref(name)}`;

function conditionsOf({ from, to, session, usage }: UsageWithin): RawBuilder<boolean>[] {
  const given: (RawBuilder<boolean> | null)[] = [
    from === undefined ? null : sql`u.time_slot >= ${from}`,
    to === undefined ? null : sql`u.time_slot < ${to} AND u.time_slot <> ${sql.lit(NO_SLOT)}`,
    session ?? null,
    usage ?? null,
  ];
  return [sql<boolean>`TRUE`, ...given.filter((condition) => condition !== null)];
}

import { type RawBuilder, sql } from 'kysely';
import type { UsageSum } from '../../../domain/usage-sum.ts';
import { NO_SLOT } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import { safeSumOrZero } from '../../safe-sum.ts';

/**
 * The columns usage can be grouped by. Times are quarters of an hour, from which days in any time zone are built, since
 * no engine knows every zone.
 */
const COLUMNS = {
  session: sql`u.session_id`,
  slot: sql`u.time_slot`,
  model: sql`u.model`,
  branch: sql`u.git_branch`,
  agent: sql`CASE WHEN u.is_subagent THEN 'subagent' ELSE 'main' END`,
  workspace: sql`w.display_name`,
  device: sql`d.name`,
} as const satisfies Readonly<Record<string, RawBuilder<unknown>>>;

export type UsageColumn = keyof typeof COLUMNS;

export interface UsageWithin {
  /** Quarters of an hour from `from` (inclusive) to `to` (exclusive). */
  readonly from?: number;
  readonly to?: number;
  /** A condition on the session `s`. */
  readonly session?: RawBuilder<boolean>;
  /** A condition on the usage `u`. */
  readonly usage?: RawBuilder<boolean>;
  /** At most so many rows. */
  readonly limit?: number;
}

export interface SummedUsage extends UsageSum, Readonly<Partial<Record<Exclude<UsageColumn, 'slot'>, string>>> {
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

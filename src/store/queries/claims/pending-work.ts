import { sql } from 'kysely';
import type { PendingReason, PendingSession } from '../../../domain/pipeline.ts';
import type { Engine } from '../../engine.ts';

export interface PendingOptions {
  readonly parserVersion: number;
  /** This machine: repositories of other machines can only be read there. */
  readonly deviceId: string;
  /** A live session has no pending work yet. */
  readonly live: { readonly sessions: ReadonlySet<string>; readonly quietSince: string };
}

/** Lists sessions with pending work that `recover` can do, newest first. */
export async function findPending(
  engine: Engine,
  { parserVersion, deviceId, live }: PendingOptions,
  limit: number,
): Promise<readonly PendingSession[]> {
  const isHere = sql`(device_id = ${deviceId} OR device_id IN (SELECT id FROM devices WHERE type = 'remote'))`;
  const isOpen = live.sessions.size === 0 ? sql`1 = 0` : sql`id IN (${sql.join([...live.sessions])})`;
  const flags = {
    being_worked_on: sql`claim_expires_at_ms > ${engine.nowMs} AND captured_version > parsed_version`,
    stuck: sql`parse_status = 'parsing' AND claim_expires_at_ms <= ${engine.nowMs}`,
    failed: sql`parse_status = 'failed'`,
    new_bytes: sql`captured_version > parsed_version`,
    outdated_parser: sql`parser_version < ${parserVersion} AND revision > 0 AND lifecycle <> 'archived'`,
    never_ended: sql`lifecycle IN ('capturing', 'detected') AND NOT ${isOpen} AND updated_at < ${live.quietSince}`,
    not_correlated: sql`correlated_version < rows_version AND lifecycle <> 'archived' AND ${isHere}`,
    not_indexed: sql`indexed_version < rows_version AND lifecycle <> 'archived'`,
  } satisfies Record<PendingReason, unknown>;
  const names = Object.keys(flags) as PendingReason[];
  const columns = names.map((name) => sql`CASE WHEN ${flags[name]} THEN 1 ELSE 0 END AS ${sql.ref(name)}`);
  const { rows } = await sql<PendingRow>`
    SELECT id, title, attempts, parse_error, ${sql.join(columns)} FROM sessions
    WHERE ${sql.join(
      names.map((name) => sql`(${flags[name]})`),
      sql` OR `,
    )}
    ORDER BY started_at DESC, id LIMIT ${sql.lit(limit)}`.execute(engine.kysely);
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    reasons: names.filter((name) => row[name] === 1),
    attempts: row.attempts,
    error: row.parse_error,
  }));
}

interface PendingRow extends Record<PendingReason, number> {
  readonly id: string;
  readonly title: string | null;
  readonly attempts: number;
  readonly parse_error: string | null;
}

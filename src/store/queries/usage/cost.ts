import { sql } from 'kysely';
import {
  type CostGroup,
  type CostQuery,
  type CostSession,
  type Named,
  TIME_GROUPS,
  type UsageCell,
} from '../../../domain/cost.ts';
import type { PullRequest } from '../../../domain/pull-request.ts';
import { addSafely, NO_SLOT } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import { DEVICE_NAME } from '../../sql.ts';
import { loadPullRequests } from '../git/pull-requests.ts';
import { slotRange } from './cost-report.ts';
import { sumUsage, type UsageColumn } from './usage.ts';

/** The range of a query as a condition of the rollups. */
export function withinRange(query: CostQuery): { readonly from?: number; readonly to?: number } {
  const { from, to } = slotRange(query);
  return { ...(Number.isFinite(from) ? { from } : {}), ...(Number.isFinite(to) ? { to } : {}) };
}

export async function loadCells(
  db: Tx,
  query: CostQuery,
  columns: readonly UsageColumn[] = columnsOf(query),
): Promise<readonly UsageCell[]> {
  const rows = await sumUsage(db, columns, withinRange(query));
  return rows.map((row) => ({
    sessionId: row.session ?? '',
    slot: row.slot === undefined || row.slot === NO_SLOT ? null : row.slot,
    model: row.model ?? '',
    branch: row.branch ?? '',
    isSubagent: row.agent === 'subagent',
    messages: row.messages,
    unpricedMessages: row.unpriced_messages,
    tokensIn: row.tokens_in,
    tokensOut: row.tokens_out,
    cacheRead: row.cache_read_tokens,
    cacheWrite: row.cache_write_tokens,
    cacheWrite1h: row.cache_write_1h_tokens,
    costNanos: row.cost_nanos,
  }));
}

/** Only the columns the report needs: without a time range and a time grouping it needs no times. */
function columnsOf({ by, since, until }: CostQuery): readonly UsageColumn[] {
  const hasTime = TIME_GROUPS.has(by) || since !== null || until !== null;
  return ['session', 'model', 'agent', ...(hasTime ? (['slot'] as const) : []), ...(by === 'branch' ? [by] : [])];
}

const GROUPS_BY_SESSION: ReadonlySet<CostGroup> = new Set(['workspace', 'session', 'device', 'pr']);

/** The session data that a grouping needs; empty when it needs none. */
export async function loadCostSessions(db: Tx, by: CostGroup): Promise<ReadonlyMap<string, CostSession>> {
  if (!GROUPS_BY_SESSION.has(by)) return new Map();
  const rows = await db
    .selectFrom('sessions as s')
    .innerJoin('workspaces as member', 'member.id', 's.workspace_id')
    .innerJoin('workspaces as w', (join) => join.on(sql<boolean>`w.id = coalesce(member.merged_into, member.id)`))
    .innerJoin('devices as d', 'd.id', 's.device_id')
    .select(['s.id', 's.title', 'w.canonical_id', 'w.display_name', 'd.id as device_id'])
    .select(DEVICE_NAME.as('device_name'))
    .execute();
  const pullRequests = by === 'pr' ? await loadPullRequests(db) : new Map<string, readonly PullRequest[]>();
  return new Map(
    rows.map((row) => [
      row.id,
      {
        title: row.title,
        workspace: { key: row.canonical_id, label: row.display_name } satisfies Named,
        device: { key: row.device_id, label: row.device_name } satisfies Named,
        pullRequests: namesOf(pullRequests.get(row.id) ?? []),
      },
    ]),
  );
}

/** Sorted, so that the same pull requests form the same group in every session. */
function namesOf(pullRequests: readonly PullRequest[]): readonly string[] {
  const names = pullRequests.toSorted(byRepositoryAndNumber).map(nameOf);
  return [...new Set(names)].filter((name) => name !== '');
}

function byRepositoryAndNumber(a: PullRequest, b: PullRequest): number {
  const [one, other] = [a, b].map(({ repository, url }) => repository ?? url ?? '') as [string, string];
  return one === other ? (a.number ?? 0) - (b.number ?? 0) : one < other ? -1 : 1;
}

function nameOf({ repository, number, url }: PullRequest): string {
  return number === null ? (url ?? repository ?? '') : `${repository ?? ''}#${number}`;
}

/** The costs that old clients wrote in their lines, next to ours for the same sessions. */
export interface LineCosts {
  readonly sessions: number;
  readonly client_cost_nanos: number;
  readonly our_cost_nanos: number;
}

/** Clients up to 1.0.1 wrote the cost of each answer. */
export async function readLineCosts(db: Tx): Promise<LineCosts | null> {
  const { rows } = await sql<{ client_cost: string; cost_nanos: number | null }>`
    SELECT s.metadata ->> 'client_cost' AS client_cost, s.cost_nanos FROM sessions s
    WHERE s.metadata ->> 'client_cost' IS NOT NULL`.execute(db);
  const compared = rows.flatMap(({ client_cost, cost_nanos }) => {
    const { line_cost_nanos } = JSON.parse(client_cost) as { readonly line_cost_nanos?: number | null };
    return line_cost_nanos ? [{ theirs: line_cost_nanos, ours: cost_nanos ?? 0 }] : [];
  });
  if (compared.length === 0) return null;
  return {
    sessions: compared.length,
    client_cost_nanos: compared.reduce((sum, { theirs }) => addSafely(sum, theirs), 0),
    our_cost_nanos: compared.reduce((sum, { ours }) => addSafely(sum, ours), 0),
  };
}

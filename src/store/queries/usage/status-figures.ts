import { type Block, blockAt, findBlocks, startsAfresh } from '../../../domain/blocks.ts';
import { type BudgetPeriod, periodOf } from '../../../domain/budget.ts';
import { DAY_MS } from '../../../domain/durations.ts';
import { addSafely, SLOT_MS } from '../../../domain/usage.ts';
import type { Calendar } from '../../../lib/calendar.ts';

/**
 * The few figures of the status line. These queries are plain SQL that both engines understand, because the status line
 * must not load the query builder: it would take longer than everything else.
 */
export type RunQuery = (sql: string, parameters: readonly (string | number)[]) => Promise<readonly Row[]>;
export type Row = Readonly<Record<string, unknown>>;

/** Usage in a quarter of an hour. */
export interface SlotUse {
  readonly slot: number;
  readonly costNanos: number;
  readonly tokens: number;
}

interface BudgetFigure {
  readonly period: BudgetPeriod;
  /** Only of the workspace of this session. */
  readonly isHere: boolean;
  readonly amountNanos: number;
  readonly spentNanos: number;
}

export interface StatusFigures {
  readonly todayNanos: number;
  readonly block: Block<SlotUse> | null;
  readonly sessionNanos: number | null;
  readonly budgets: readonly BudgetFigure[];
}

interface StatusRequest {
  readonly sessionId: string | null;
  readonly now: Date;
  readonly calendar: Calendar;
  /** Usage of this session that is not in the store yet. */
  readonly beyond: readonly SlotUse[];
}

const SLOTS_PER_DAY = DAY_MS / SLOT_MS;
/** More days than this without a pause of five hours are not looked at. */
const MAX_DAYS = 64;

export async function readStatusFigures(runQuery: RunQuery, request: StatusRequest): Promise<StatusFigures> {
  const { now, calendar, sessionId, beyond } = request;
  const today = calendar.dayOf(Math.floor(now.getTime() / SLOT_MS));
  const [from, to] = [calendar.firstSlotOf(today), calendar.firstSlotAfter(today)];
  const uses = [...(await loadRecent(runQuery, now)), ...beyond];
  const within = (first: number, end: number) => sumOf(uses.filter(({ slot }) => slot >= first && slot < end));
  const stored = sessionId === null ? null : await sessionCost(runQuery, sessionId);
  return {
    todayNanos: within(from, to),
    block: blockAt(findBlocks(uses), now),
    sessionNanos: stored === null && beyond.length === 0 ? null : addSafely(stored ?? 0, sumOf(beyond)),
    budgets: await readBudgets(runQuery, request, today),
  };
}

function sumOf(uses: readonly SlotUse[]): number {
  return uses.reduce((sum, { costNanos }) => addSafely(sum, costNanos), 0);
}

/** At least the last two days, and as many more as the start of the current block depends on. */
async function loadRecent(runQuery: RunQuery, now: Date): Promise<readonly SlotUse[]> {
  const slot = Math.floor(now.getTime() / SLOT_MS);
  for (let days = 2; ; days *= 4) {
    const rows = await runQuery(
      `SELECT time_slot, sum(cost_nanos) AS cost_nanos, sum(tokens_in + tokens_out + cache_read + cache_write) AS tokens
       FROM usage_rollups WHERE time_slot >= ? GROUP BY time_slot ORDER BY time_slot`,
      [slot - days * SLOTS_PER_DAY],
    );
    const uses = rows.map((row) => ({
      slot: Number(row['time_slot']),
      costNanos: Number(row['cost_nanos']),
      tokens: Number(row['tokens']),
    }));
    const hasPause = uses.some((use, at) => at > 0 && startsAfresh(uses[at - 1]?.slot ?? 0, use.slot));
    if (hasPause || uses.length === 0 || days >= MAX_DAYS) return uses;
    // The first usage of all starts a block, too.
    const [first] = await runQuery('SELECT min(time_slot) AS slot FROM usage_rollups WHERE time_slot >= 0', []);
    if (Number(first?.['slot']) === uses[0]?.slot) return uses;
  }
}

async function sessionCost(runQuery: RunQuery, sessionId: string): Promise<number | null> {
  const [row] = await runQuery('SELECT sum(cost_nanos) AS cost_nanos FROM usage_rollups WHERE session_id = ?', [
    sessionId,
  ]);
  return row === undefined || row['cost_nanos'] === null ? null : Number(row['cost_nanos']);
}

async function readBudgets(
  runQuery: RunQuery,
  request: StatusRequest,
  today: string,
): Promise<readonly BudgetFigure[]> {
  const rows = await runQuery('SELECT period, workspace_key, amount_nanos FROM budgets', []);
  if (rows.length === 0) return [];
  const here = rows.some((row) => row['workspace_key'] !== '') ? await workspaceOf(runQuery, request.sessionId) : null;
  const figures: BudgetFigure[] = [];
  for (const row of rows) {
    const isHere = row['workspace_key'] !== '';
    if (isHere && !here?.keys.has(String(row['workspace_key']))) continue;
    const period = row['period'] as BudgetPeriod;
    const spentNanos = await spentIn(runQuery, request, periodOf(period, today), isHere ? (here?.id ?? null) : null);
    figures.push({ period, isHere, amountNanos: Number(row['amount_nanos']), spentNanos });
  }
  return figures;
}

async function spentIn(
  runQuery: RunQuery,
  { calendar, beyond }: StatusRequest,
  { first, last }: { readonly first: string; readonly last: string },
  workspaceId: string | null,
): Promise<number> {
  const [from, to] = [calendar.firstSlotOf(first), calendar.firstSlotAfter(last)];
  const [row] = await runQuery(
    `SELECT coalesce(sum(cost_nanos), 0) AS cost_nanos FROM usage_rollups WHERE time_slot >= ? AND time_slot < ?
     ${workspaceId === null ? '' : SESSIONS_OF_WORKSPACE}`,
    [from, to, ...(workspaceId === null ? [] : [workspaceId])],
  );
  const own = beyond.filter(({ slot }) => slot >= from && slot < to);
  return addSafely(Number(row?.['cost_nanos'] ?? 0), sumOf(own));
}

const SESSIONS_OF_WORKSPACE = `AND session_id IN (SELECT s.id FROM sessions s JOIN workspaces w ON w.id = s.workspace_id
  WHERE coalesce(w.merged_into, w.id) = ?)`;

interface Here {
  readonly id: string;
  /** Its canonical id, and those of the workspaces that were merged into it. */
  readonly keys: ReadonlySet<string>;
}

async function workspaceOf(runQuery: RunQuery, sessionId: string | null): Promise<Here | null> {
  if (sessionId === null) return null;
  const rows = await runQuery(
    `SELECT coalesce(w.merged_into, w.id) AS id, member.canonical_id FROM sessions s
     JOIN workspaces w ON w.id = s.workspace_id
     JOIN workspaces member ON coalesce(member.merged_into, member.id) = coalesce(w.merged_into, w.id)
     WHERE s.id = ?`,
    [sessionId],
  );
  const [first] = rows;
  if (first === undefined) return null;
  return { id: String(first['id']), keys: new Set(rows.map((row) => String(row['canonical_id']))) };
}

/** How far the main transcript of a session was read; null if it was never read, or if more waits to be parsed. */
export async function readParsedBytes(runQuery: RunQuery, sessionId: string): Promise<number | null> {
  const rows = await runQuery(
    `SELECT f.seen_size FROM source_files f JOIN sessions s ON s.id = f.session_id
     WHERE f.session_id = ? AND f.kind = 'main' AND f.state <> 'gone' AND s.captured_version = s.parsed_version`,
    [sessionId],
  );
  // Copies in several homes or on several devices: it is not known which one this is.
  return rows.length === 1 ? Number(rows[0]?.['seen_size']) : null;
}

const MAX_IDS = 200;

/** Which of these API messages the session has; null if there are too many to ask. */
export async function findKnownMessages(
  runQuery: RunQuery,
  sessionId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string> | null> {
  if (ids.length > MAX_IDS) return null;
  if (ids.length === 0) return new Set();
  const rows = await runQuery(
    `SELECT m.api_message_id AS id FROM transcript_messages m
     JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
     WHERE m.session_id = ? AND m.api_message_id IN (${ids.map(() => '?').join(', ')})`,
    [sessionId, ...ids],
  );
  return new Set(rows.map((row) => String(row['id'])));
}

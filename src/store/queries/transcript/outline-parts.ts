import { type RawBuilder, sql } from 'kysely';
import type { OutlineParts, TurnPart } from '../../../domain/outline.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { IS_OWN_COMMIT } from '../sessions/session-conditions.ts';
import { readOutlineAgents } from './outline-agents.ts';
import { MAX_PROMPT_CHARS } from './prompts.ts';
import type { ChangedRows, RowVersion } from './row-changes.ts';

/** The lists that grow with a session, by position, as they were read last. */
export interface KeptParts {
  readonly turns: ReadonlyMap<number, TurnPart>;
  readonly prompts: ReadonlyMap<number, readonly Prompt[]>;
  readonly calls: ReadonlyMap<number, OutlineParts['calls'][number]>;
}

type Prompt = OutlineParts['prompts'][number];

/** Nothing is known about the rows of the session. */
export const NO_PARTS: KeptParts = { turns: new Map(), prompts: new Map(), calls: new Map() };

/** Everything that an outline is made of apart from messages. Of turns and calls, only what has changed is read. */
export async function readOutlineParts(
  db: Tx,
  { sessionId, revision }: { readonly sessionId: string; readonly revision: number },
  known: KeptParts,
  changed: Partial<ChangedRows> | null,
): Promise<{ readonly kept: KeptParts; readonly parts: OutlineParts }> {
  const list: List = async (select, rest) => {
    const { rows } =
      await sql`${select} WHERE p.session_id = ${sessionId} AND p.revision = ${revision} ${rest}`.execute(db);
    return rows as never;
  };
  const turnsAt = changedTurns(known, changed);
  const callsAt = changed?.calls ?? null;
  const kept: KeptParts = {
    turns: replace(known.turns, turnsAt, await readTurns(list, turnsAt)),
    prompts: replace(known.prompts, turnsAt, await readPrompts(list, turnsAt)),
    calls: replace(known.calls, callsAt, await readCalls(list, callsAt)),
  };
  return { kept, parts: { ...lastParts(kept), ...(await readOtherParts(list, db, sessionId, revision)) } };
}

function lastParts({ turns, prompts, calls }: KeptParts): Pick<OutlineParts, 'turns' | 'prompts' | 'calls'> {
  const inOrder = [...turns].toSorted(([a], [b]) => a - b);
  return {
    turns: inOrder.map(([, turn]) => turn),
    prompts: inOrder.flatMap(([position]) => prompts.get(position) ?? []),
    calls: [...calls.values()],
  };
}

/** Positions of turns to read again; null for all. The text of a prompt can change without its turn. */
function changedTurns({ turns }: KeptParts, changed: Partial<ChangedRows> | null): readonly number[] | null {
  const { firstMessage, turns: positions } = changed ?? {};
  if (firstMessage === undefined || positions === undefined) return null;
  const isTouched = ({ ordinal }: TurnPart) => ordinal === null || ordinal >= firstMessage;
  return [...new Set([...positions, ...[...turns].flatMap(([at, turn]) => (isTouched(turn) ? [at] : []))])];
}

/** The known rows, those at some positions replaced by what was read there, or all of them. */
function replace<T>(
  known: ReadonlyMap<number, T>,
  positions: readonly number[] | null,
  read: readonly (readonly [number, T])[],
): ReadonlyMap<number, T> {
  if (positions === null) return new Map(read);
  const next = new Map(known);
  for (const position of positions) next.delete(position);
  for (const [position, row] of read) next.set(position, row);
  return next;
}

function isAt(column: string, positions: readonly number[] | null): RawBuilder<unknown> {
  if (positions === null) return sql``;
  return positions.length === 0 ? sql`AND 1 = 0` : sql`AND ${sql.ref(column)} IN (${sql.join(positions)})`;
}

type At<T> = readonly (readonly [number, T])[];

async function readPrompts(list: List, positions: readonly number[] | null): Promise<At<readonly Prompt[]>> {
  const rows = await list<Prompt & { readonly position: number }>(
    sql`SELECT p.ordinal AS position, p.id AS message_id,
        substr(b.content_text, 1, ${sql.lit(MAX_PROMPT_CHARS)}) AS text FROM turns p
      JOIN content_blocks b ON b.session_id = p.session_id AND b.revision = p.revision AND b.message_id = p.id`,
    sql`AND b.block_type <> 'injected' AND b.content_text <> '' ${isAt('p.ordinal', positions)}
      ORDER BY p.ordinal, b.block_order`,
  );
  const byTurn = Map.groupBy(rows, ({ position }) => position);
  return [...byTurn].map(([position, own]) => [position, own.map(({ message_id, text }) => ({ message_id, text }))]);
}

async function readCalls(list: List, positions: readonly number[] | null): Promise<At<OutlineParts['calls'][number]>> {
  const rows = await list<{ readonly position: number; readonly id: string; readonly status: string }>(
    sql`SELECT p.position, p.id, p.status FROM tool_calls p`,
    sql`AND p.status <> 'ok' ${isAt('p.position', positions)}`,
  );
  return rows.map(({ position, id, status }) => [position, { id, status }]);
}

/** Short lists. */
async function readOtherParts(list: List, db: Tx, sessionId: string, revision: number) {
  return {
    branches: await readBranches(list),
    compactions: await list<OutlineParts['compactions'][number]>(
      sql`SELECT p.id, m.ordinal, p.agent_id, p.kind, p.trigger_name, p.pre_tokens, p.post_tokens, p.duration_ms
        FROM compactions p
        ${messageOf(sql`p.id`)}`,
      sql`ORDER BY p.position`,
    ),
    agents: await readOutlineAgents(db, sessionId, revision),
    commits: await readCommits(db, sessionId),
  } satisfies Partial<OutlineParts>;
}

type List = <R>(select: RawBuilder<unknown>, rest: RawBuilder<unknown>) => Promise<readonly R[]>;

function messageOf(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`LEFT JOIN transcript_messages m
    ON m.session_id = p.session_id AND m.revision = p.revision AND m.id = ${id}`;
}

async function readTurns(list: List, positions: readonly number[] | null): Promise<At<TurnPart>> {
  const rows = await list<Omit<TurnPart, 'stats'> & { readonly position: number; readonly stats: string }>(
    sql`SELECT p.ordinal AS position, p.id, m.ordinal, p.agent_id, p.origin, p.parent_turn_id, p.duration_ms, p.stats
      FROM turns p ${messageOf(sql`p.id`)}`,
    isAt('p.ordinal', positions),
  );
  return rows.map(({ position, ...row }) => [position, { ...row, stats: readJson<TurnPart['stats']>(row.stats) }]);
}

async function readBranches(list: List): Promise<OutlineParts['branches']> {
  const rows = await list<Omit<OutlineParts['branches'][number], 'turn_ids'> & { readonly turn_ids: string }>(
    sql`SELECT m.ordinal, p.turn_ids, p.current_turn_id FROM branch_points p ${messageOf(sql`p.message_id`)}`,
    sql`ORDER BY p.position`,
  );
  return rows.map((row) => ({ ...row, turn_ids: readJson<readonly string[]>(row.turn_ids) }));
}

async function readCommits(db: Tx, sessionId: string): Promise<OutlineParts['commits']> {
  return db
    .selectFrom('git_activity as x')
    .select(['x.commit_sha as sha', 'x.message', 'x.tool_use_id', 'x.timestamp'])
    .where('x.session_id', '=', sessionId)
    .where(IS_OWN_COMMIT)
    .orderBy('x.timestamp')
    .orderBy('x.id')
    .execute();
}

/** Which rows an outline was made of. */
export interface OutlineState extends RowVersion {
  /** Changes whenever the outline may have changed. */
  readonly name: string;
}

export async function readOutlineState(db: Tx, sessionId: string): Promise<OutlineState> {
  const row = await db
    .selectFrom('sessions')
    .select(['revision', 'rows_version', 'cost_nanos', 'row_changes'])
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  const { count } = await db
    .selectFrom('git_activity as x')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('x.session_id', '=', sessionId)
    .where(IS_OWN_COMMIT)
    .executeTakeFirstOrThrow();
  return {
    revision: row.revision,
    rowsVersion: row.rows_version,
    changes: readJson(row.row_changes),
    name: [row.revision, row.rows_version, row.cost_nanos ?? 0, count].join('.'),
  };
}

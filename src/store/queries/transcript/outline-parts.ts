import { type RawBuilder, sql } from 'kysely';
import type { OutlineParts, TurnPart } from '../../../domain/outline.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { IS_OWN_COMMIT } from '../sessions/session-conditions.ts';
import { readOutlineAgents } from './outline-agents.ts';
import type { RowVersion } from './row-changes.ts';

/** Longest text that is read for the excerpt of a prompt; the tags around a command need some of it. */
const MAX_PROMPT_CHARS = 2_000;

/** Everything that an outline is made of apart from messages. */
export async function readOutlineParts(db: Tx, sessionId: string, revision: number): Promise<OutlineParts> {
  const list: List = async (select, rest) => {
    const { rows } =
      await sql`${select} WHERE p.session_id = ${sessionId} AND p.revision = ${revision} ${rest}`.execute(db);
    return rows as never;
  };
  return {
    turns: await readTurns(list),
    prompts: await list(
      sql`SELECT p.id AS message_id, substr(b.content_text, 1, ${sql.lit(MAX_PROMPT_CHARS)}) AS text FROM turns p
        JOIN content_blocks b ON b.session_id = p.session_id AND b.revision = p.revision AND b.message_id = p.id`,
      sql`AND b.block_type <> 'injected' AND b.content_text <> '' ORDER BY p.ordinal, b.block_order`,
    ),
    branches: await readBranches(list),
    compactions: await list(
      sql`SELECT p.id, m.ordinal, p.agent_id, p.kind, p.trigger_name, p.pre_tokens, p.post_tokens, p.duration_ms
        FROM compactions p
        ${messageOf(sql`p.id`)}`,
      sql`ORDER BY p.position`,
    ),
    agents: await readOutlineAgents(db, sessionId, revision),
    calls: await list(sql`SELECT p.id, p.status FROM tool_calls p`, sql`AND p.status <> 'ok'`),
    commits: await readCommits(db, sessionId),
  };
}

type List = <R>(select: RawBuilder<unknown>, rest: RawBuilder<unknown>) => Promise<readonly R[]>;

function messageOf(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`LEFT JOIN transcript_messages m
    ON m.session_id = p.session_id AND m.revision = p.revision AND m.id = ${id}`;
}

async function readTurns(list: List): Promise<readonly TurnPart[]> {
  const rows = await list<Omit<TurnPart, 'stats'> & { readonly stats: string }>(
    sql`SELECT p.id, m.ordinal, p.agent_id, p.origin, p.parent_turn_id, p.duration_ms, p.stats FROM turns p
      ${messageOf(sql`p.id`)}`,
    sql`ORDER BY p.ordinal`,
  );
  return rows.map((row) => ({ ...row, stats: readJson<TurnPart['stats']>(row.stats) }));
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

import { type RawBuilder, sql } from 'kysely';
import type { LevelStats } from '../../../domain/transcript-structure.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';

/** Longest text that is read for the excerpt of a prompt; the tags around a command need some of it. */
const MAX_PROMPT_CHARS = 2_000;

/** What an outline is made of apart from messages. */
export interface OutlineParts {
  readonly turns: readonly OutlineTurn[];
  /** The beginnings of prompts, block by block, by message id. */
  readonly prompts: readonly OutlineText[];
  readonly branches: readonly OutlineBranch[];
  readonly compactions: readonly OutlineCompaction[];
  readonly subagents: readonly { readonly agent_id: string; readonly spawning_tool_use_id: string | null }[];
  /** Only calls that did not simply succeed. */
  readonly calls: readonly { readonly id: string; readonly status: string }[];
  readonly commits: readonly { readonly tool_use_id: string | null; readonly timestamp: string }[];
}

interface OutlineText {
  readonly message_id: string;
  readonly text: string;
}

interface OutlineTurn {
  readonly id: string;
  readonly agent_id: string | null;
  readonly origin: string;
  readonly parent_turn_id: string | null;
  readonly duration_ms: number | null;
  readonly stats: LevelStats;
}

interface OutlineBranch {
  readonly message_id: string | null;
  readonly turn_ids: readonly string[];
  readonly current_turn_id: string;
}

interface OutlineCompaction {
  readonly id: string;
  readonly agent_id: string | null;
  readonly kind: string;
  readonly trigger_name: string | null;
  readonly pre_tokens: number | null;
  readonly post_tokens: number | null;
  readonly duration_ms: number | null;
}

export async function readOutlineParts(db: Tx, sessionId: string): Promise<OutlineParts> {
  const list = async <R>(select: RawBuilder<unknown>, rest: RawBuilder<unknown>): Promise<readonly R[]> => {
    const { rows } = await sql<R>`${select} JOIN sessions s ON s.id = p.session_id AND s.revision = p.revision
      WHERE p.session_id = ${sessionId} ${rest}`.execute(db);
    return rows;
  };
  return {
    turns: await readTurns(list),
    prompts: await list<OutlineText>(
      sql`SELECT p.id AS message_id, substr(b.content_text, 1, ${sql.lit(MAX_PROMPT_CHARS)}) AS text FROM turns p
        JOIN content_blocks b ON b.session_id = p.session_id AND b.revision = p.revision AND b.message_id = p.id`,
      sql`AND b.block_type <> 'injected' AND b.content_text <> '' ORDER BY p.ordinal, b.block_order`,
    ),
    branches: await readBranches(list),
    compactions: await list<OutlineCompaction>(
      sql`SELECT p.id, p.agent_id, p.kind, p.trigger_name, p.pre_tokens, p.post_tokens, p.duration_ms FROM compactions p`,
      sql`ORDER BY p.position`,
    ),
    subagents: await list(sql`SELECT p.agent_id, p.spawning_tool_use_id FROM subagents p`, sql`ORDER BY p.position`),
    calls: await list(sql`SELECT p.id, p.status FROM tool_calls p`, sql`AND p.status <> 'ok'`),
    commits: await readCommits(db, sessionId),
  };
}

type List = <R>(select: RawBuilder<unknown>, rest: RawBuilder<unknown>) => Promise<readonly R[]>;

async function readTurns(list: List): Promise<readonly OutlineTurn[]> {
  const rows = await list<Omit<OutlineTurn, 'stats'> & { readonly stats: string }>(
    sql`SELECT p.id, p.agent_id, p.origin, p.parent_turn_id, p.duration_ms, p.stats FROM turns p`,
    sql`ORDER BY p.ordinal`,
  );
  return rows.map((row) => ({ ...row, stats: readJson<LevelStats>(row.stats) }));
}

async function readBranches(list: List): Promise<readonly OutlineBranch[]> {
  const rows = await list<Omit<OutlineBranch, 'turn_ids'> & { readonly turn_ids: string }>(
    sql`SELECT p.message_id, p.turn_ids, p.current_turn_id FROM branch_points p`,
    sql`ORDER BY p.position`,
  );
  return rows.map((row) => ({ ...row, turn_ids: readJson<readonly string[]>(row.turn_ids) }));
}

function readCommits(db: Tx, sessionId: string) {
  return db
    .selectFrom('git_activity')
    .select(['tool_use_id', 'timestamp'])
    .where('session_id', '=', sessionId)
    .where('type', '=', 'commit')
    .where('duplicate_of', 'is', null)
    .execute();
}

/** Changes whenever the outline may have changed. */
export async function readOutlineRevision(db: Tx, sessionId: string): Promise<string> {
  const { revision, rows_version, cost_nanos } = await db
    .selectFrom('sessions')
    .select(['revision', 'rows_version', 'cost_nanos'])
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  const commits = await readCommits(db, sessionId);
  return [revision, rows_version, cost_nanos ?? 0, commits.length].join('.');
}

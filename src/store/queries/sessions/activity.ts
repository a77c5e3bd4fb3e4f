import { sql } from 'kysely';
import type { Activity } from '../../../api/activity.ts';
import type { GitKind } from '../../../domain/git.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import type { JsonObject } from '../../../domain/transcript.ts';
import type { Engine, Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { gitCondition, selectedSessions } from './field-conditions.ts';
import { SESSION_IS } from './session-conditions.ts';

interface ActivityQuery extends SessionSelection {
  /** From this moment (inclusive) to that one (exclusive). */
  readonly from: string;
  readonly to: string;
}

const MAX_SESSIONS = 2_000;
const MAX_GIT_ROWS = 5_000;

type Found = Pick<Activity, 'sessions' | 'git_activity' | 'is_cut' | 'last_active_at'>;

/** Sessions that were active in a period, with their turns, and its git activity. */
export async function readActivity(engine: Engine, query: ActivityQuery): Promise<Found> {
  const sessions = await listActive(engine, query);
  const shown = sessions.slice(0, MAX_SESSIONS);
  const turns = await loadTurns(engine, query);
  const git = await listGit(engine, query);
  return {
    sessions: shown.map(({ started_at, ended_at, ...session }) => ({
      ...session,
      is_live: session.is_live === 1,
      turns: turns.get(session.id) ?? whole(started_at, ended_at, query),
    })),
    git_activity: git.slice(0, MAX_GIT_ROWS),
    is_cut: sessions.length > MAX_SESSIONS || git.length > MAX_GIT_ROWS,
    last_active_at: await readNewestStart(engine.kysely),
  };
}

function isWithin({ from, to }: ActivityQuery) {
  return sql<boolean>`s.started_at < ${to} AND (s.ended_at IS NULL OR s.ended_at >= ${from})`;
}

async function listActive(engine: Engine, query: ActivityQuery) {
  return engine.kysely
    .selectFrom('sessions as s')
    .innerJoin('workspaces as w', 'w.id', 's.workspace_id')
    .select(['s.id', 's.title', 'w.canonical_id as workspace_key', 'w.display_name as workspace_name'])
    .select(['s.git_branch', 's.cost_nanos', 's.started_at', 's.ended_at'])
    .select(sql<number>`CASE WHEN ${SESSION_IS.live} THEN 1 ELSE 0 END`.as('is_live'))
    .where(isWithin(query))
    .where(selectedSessions(engine, query))
    .orderBy('s.started_at')
    .orderBy('s.id')
    .limit(MAX_SESSIONS + 1)
    .execute();
}

type Turns = Activity['sessions'][number]['turns'];

/** Turns of main conversations; those of a copied beginning belong to the original session. */
async function loadTurns(engine: Engine, query: ActivityQuery): Promise<ReadonlyMap<string, Turns>> {
  const { rows } = await sql<{ id: string; started_at: string; duration_ms: number | null; ordinal: number }>`
    SELECT s.id, t.stats ->> 'startedAt' AS started_at, t.duration_ms, m.ordinal
    FROM sessions s
    JOIN turns t ON t.session_id = s.id AND t.revision = s.revision AND t.agent_id IS NULL
    JOIN transcript_messages m ON m.session_id = t.session_id AND m.revision = t.revision AND m.id = t.id
    WHERE ${isWithin(query)} AND ${selectedSessions(engine, query)} AND NOT m.is_inherited
      AND t.stats ->> 'startedAt' < ${query.to}
    ORDER BY s.id, t.ordinal`.execute(engine.kysely);
  const from = Date.parse(query.from);
  const spans = rows.flatMap(({ id, started_at, duration_ms, ordinal }) => {
    const start = Date.parse(started_at);
    const end = start + (duration_ms ?? 0);
    return end < from ? [] : [{ id, span: [start, end, ordinal] as const }];
  });
  const bySession = Map.groupBy(spans, ({ id }) => id);
  return new Map([...bySession].map(([id, own]) => [id, own.map(({ span }) => span)]));
}

/** A session without turns, for example one that is being parsed or was archived: from its start to its end. */
function whole(startedAt: string, endedAt: string | null, { from }: ActivityQuery): Turns {
  const start = Date.parse(startedAt);
  const end = endedAt === null ? start : Date.parse(endedAt);
  return Number.isNaN(start) || end < Date.parse(from) ? [] : [[start, Math.max(start, end), null]];
}

async function listGit(engine: Engine, query: ActivityQuery): Promise<Activity['git_activity']> {
  const outside = gitCondition(engine, query.where ?? null);
  const rows = await engine.kysely
    .selectFrom('git_activity as g')
    .innerJoin('workspaces as w', 'w.id', 'g.workspace_id')
    .leftJoin('sessions as s', 's.id', 'g.session_id')
    .select(['g.timestamp as at', 'g.type', 'g.session_id', 'w.display_name as workspace_name'])
    .select(['g.message', 'g.branch', 'g.commit_sha', 'g.data'])
    .where('g.timestamp', '>=', query.from)
    .where('g.timestamp', '<', query.to)
    .where('g.duplicate_of', 'is', null)
    .where(
      sql<boolean>`CASE WHEN g.session_id IS NULL THEN ${outside ?? sql`FALSE`} ELSE ${selectedSessions(engine, query)} END`,
    )
    .orderBy('g.timestamp')
    .orderBy('g.order_key')
    .limit(MAX_GIT_ROWS + 1)
    .execute();
  return rows.map(({ message, branch, data, ...row }) => ({
    ...row,
    type: row.type as GitKind,
    text: message ?? pullRequestName(readJson<JsonObject>(data)) ?? branch ?? '',
  }));
}

function pullRequestName({ number, url }: JsonObject): string | null {
  return typeof number === 'number' ? `#${number}` : typeof url === 'string' ? url : null;
}

/** When the newest session with a prompt started. */
export async function readNewestStart(db: Tx): Promise<string | null> {
  const row = await db
    .selectFrom('sessions')
    .select('started_at')
    .where('content', '=', 'prompted')
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.started_at ?? null;
}

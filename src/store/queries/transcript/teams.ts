import { sql } from 'kysely';
import type { TeamMember, TeamPage, TeamRow } from '../../../api/agents.ts';
import type { TeamPlace } from '../../../api/sessions.ts';
import { TEAM_LEAD } from '../../../domain/teammate-message.ts';
import type { LevelStats } from '../../../domain/transcript-structure.ts';
import { addSafely, NANOS_PER_DOLLAR } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import { cutPage, decodePosition, isBeyond, ofCurrentRevision } from '../../sql.ts';
import { readJson } from '../../text.ts';

/** A session and the position of a team in it, as one text that sorts like both. */
const KEY = sql<string>`(t.session_id || ':' || (1000000 + t.position))`;
const ORDER = { at: sql.ref('s.started_at'), id: KEY };

/** Lists the teams of all sessions, those of the newest lead first. Errors: usage for a cursor that is not ours. */
export async function pageTeams(
  db: Tx,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<TeamPage> {
  const rows = await selectTeams(db)
    .$if(cursor !== undefined, (select) => select.where(isBeyond(ORDER, decodePosition(cursor ?? ''), 'down')))
    .orderBy('s.started_at', 'desc')
    .orderBy(KEY, 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows, limit, ({ started_at, key }) => ({ at: started_at, id: key }));
  const teams: TeamRow[] = [];
  for (const team of page) teams.push(await withMembers(db, team));
  return { teams, next_cursor: next };
}

function selectTeams(db: Tx) {
  return db
    .selectFrom('teams as t')
    .innerJoin('sessions as s', ofCurrentRevision('t'))
    .select(['t.session_id', 't.revision', 't.team_name', 't.description', 't.lead_agent_id'])
    .select(['t.created_at', 't.ended_at', 's.started_at', 's.device_id', KEY.as('key')]);
}

type LedTeam = Awaited<ReturnType<ReturnType<typeof selectTeams>['executeTakeFirstOrThrow']>>;

async function withMembers(db: Tx, team: LedTeam): Promise<TeamRow> {
  const { revision: _revision, device_id: _device, key: _key, ...shown } = team;
  const [started, sessions] = [await startedMembers(db, team), await memberSessions(db, team)];
  const members = started.map((member) => ({ ...member, ...sessions.get(member.name) }));
  const unnamed = [...sessions.values()].filter(({ name }) => !started.some((member) => member.name === name));
  const all = [...members, ...unnamed.map((own) => ({ ...NOBODY, ...own }))];
  return { ...shown, teammates: all.length, members: all };
}

/** The teammates that a session started. */
export async function listMembers(db: Tx, sessionId: string) {
  const teams = await selectTeams(db).where('t.session_id', '=', sessionId).execute();
  const found: (TeamMember & { readonly id: string; readonly team_name: string })[] = [];
  for (const team of teams) {
    const ids = await db
      .selectFrom('teammates')
      .select(['id', 'entity_name'])
      .where('session_id', '=', sessionId)
      .where('revision', '=', team.revision)
      .where('team_name', '=', team.team_name)
      .execute();
    const idOf = new Map(ids.map(({ id, entity_name }) => [entity_name, id]));
    const { members, team_name } = await withMembers(db, team);
    for (const member of members) found.push({ ...member, team_name, id: idOf.get(member.name) ?? member.name });
  }
  return found;
}

const NOBODY: Omit<TeamMember, 'name'> = {
  agent_type: null,
  model: null,
  color: null,
  session_id: null,
  title: null,
  agent_ids: [],
  messages_sent: 0,
  messages_received: 0,
  total_messages: null,
  cost_estimate_usd: null,
};

/** Members whose start is in the lead's transcript. */
async function startedMembers(db: Tx, { session_id, revision, team_name }: LedTeam): Promise<readonly TeamMember[]> {
  const rows = await db
    .selectFrom('teammates')
    .select(['entity_name', 'agent_type', 'model', 'color', 'agent_ids', 'messages_sent', 'messages_received'])
    .where('session_id', '=', session_id)
    .where('revision', '=', revision)
    .where('team_name', '=', team_name)
    .orderBy('position')
    .execute();
  const threads = await threadsOf(db, session_id, revision);
  return rows.map(({ entity_name, agent_ids, ...row }) => {
    const ids = readJson<readonly string[]>(agent_ids);
    return { ...NOBODY, ...row, name: entity_name, agent_ids: ids, ...sumThreads(ids, threads) };
  });
}

interface MemberThread {
  readonly agent_id: string;
  readonly description: string | null;
  readonly cost_nanos: number | null;
  readonly stats: string;
}

/** Current clients run teammates inside the lead's session, as sub-agents. */
function threadsOf(db: Tx, sessionId: string, revision: number): Promise<readonly MemberThread[]> {
  return db
    .selectFrom('subagents')
    .select(['agent_id', 'description', 'cost_nanos', 'stats'])
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .orderBy('position')
    .execute();
}

function sumThreads(agentIds: readonly string[], threads: readonly MemberThread[]) {
  const own = threads.filter(({ agent_id }) => agentIds.includes(agent_id));
  if (own.length === 0) return {};
  const costs = own.flatMap(({ cost_nanos }) => cost_nanos ?? []);
  return {
    title: own.find(({ description }) => description !== null)?.description ?? null,
    total_messages: own.reduce((sum, { stats }) => sum + readJson<LevelStats>(stats).messages, 0),
    cost_estimate_usd: costs.length === 0 ? null : costs.reduce(addSafely, 0) / NANOS_PER_DOLLAR,
  };
}

type OwnSession = Pick<TeamMember, 'name' | 'session_id' | 'title' | 'total_messages' | 'cost_estimate_usd'>;

/**
 * Sessions of teammates, by name. Team names are reused: a session belongs to the last lead of that name on its machine
 * that started before it.
 */
async function memberSessions(db: Tx, team: LedTeam): Promise<ReadonlyMap<string, OwnSession>> {
  const rows = await db
    .selectFrom('sessions as m')
    .select(['m.id', 'm.agent_name', 'm.title', 'm.total_messages', 'm.cost_estimate_usd', 'm.started_at'])
    .where('m.team_name', '=', team.team_name)
    .where('m.device_id', '=', team.device_id)
    .where('m.agent_name', 'is not', null)
    .where('m.agent_name', '!=', TEAM_LEAD)
    .where('m.id', '!=', team.session_id)
    .where('m.started_at', '>=', team.started_at)
    .where(({ not, exists }) =>
      not(
        exists(
          selectTeams(db)
            .where('t.team_name', '=', team.team_name)
            .where('s.device_id', '=', team.device_id)
            .where('s.started_at', '>', team.started_at)
            .where(sql<boolean>`s.started_at <= m.started_at`),
        ),
      ),
    )
    .orderBy('m.started_at')
    .orderBy('m.id')
    .execute();
  return new Map(
    rows.map(({ id, agent_name, title, total_messages, cost_estimate_usd }) => {
      const name = agent_name ?? '';
      return [name, { name, session_id: id, title, total_messages, cost_estimate_usd }];
    }),
  );
}

/** Null for a session without a team. */
export async function findTeamPlace(db: Tx, sessionId: string): Promise<TeamPlace | null> {
  const own = await db
    .selectFrom('sessions')
    .select(['team_name', 'agent_name', 'device_id', 'started_at'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  if (own === undefined || own.team_name === null) return null;
  const { team_name, agent_name } = own;
  if (agent_name === null || agent_name === TEAM_LEAD) return { team_name, agent_name, lead_session_id: null };
  const lead = await selectTeams(db)
    .where('t.team_name', '=', team_name)
    .where('s.device_id', '=', own.device_id)
    .where('s.started_at', '<=', own.started_at)
    .where('t.session_id', '!=', sessionId)
    .orderBy('s.started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { team_name, agent_name, lead_session_id: lead?.session_id ?? null };
}

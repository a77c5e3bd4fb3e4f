import type { AgentPart } from '../../../domain/outline.ts';
import { isLive } from '../../../domain/session.ts';
import type { LevelStats } from '../../../domain/transcript-structure.ts';
import { NANOS_PER_DOLLAR } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { readLastLines, readMainLine, readResultLines } from './last-texts.ts';
import { withCountedCosts } from './parts.ts';
import { listMembers } from './teams.ts';

/** Sub-agents, then teammates without messages in this session. */
export async function readOutlineAgents(db: Tx, sessionId: string, revision: number): Promise<readonly AgentPart[]> {
  const subagents = await readSubagents(db, sessionId, revision);
  const lines = await readLastLines(
    db,
    sessionId,
    subagents.map(({ agent_id }) => agent_id),
  );
  const silent = subagents.filter(({ agent_id }) => !lines.has(agent_id));
  const results = await readResultLines(
    db,
    sessionId,
    silent.flatMap(({ spawning_tool_use_id }) => spawning_tool_use_id ?? []),
  );
  const known = subagents.map((agent) => {
    const { agent_id, spawning_tool_use_id } = agent;
    return { ...agent, last_line: lines.get(agent_id) ?? results.get(spawning_tool_use_id ?? '') ?? null };
  });
  return [...known, ...(await readTeammates(db, sessionId, revision))];
}

async function readSubagents(db: Tx, sessionId: string, revision: number) {
  const rows = await db
    .selectFrom('subagents')
    .select(['agent_id', 'spawning_tool_use_id', 'agent_type', 'agent_name', 'team_name', 'description', 'model'])
    .select(['status', 'cost_nanos', 'stats', 'reported'])
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .orderBy('position')
    .execute();
  const counted = await withCountedCosts(db, 'subagents', sessionId, rows);
  return counted.map(({ stats, reported, ...row }) => ({
    ...row,
    session_id: null,
    stats: figuresOf(stats, reported),
  }));
}

/** The client's report, for an agent whose messages are unknown. */
function figuresOf(stats: string, reported: string): AgentPart['stats'] {
  const { messages, toolCalls, wallMs } = readJson<LevelStats>(stats);
  if (messages > 0) return { messages, tool_calls: toolCalls, wall_ms: wallMs };
  const { tool_uses, duration_ms } = readJson<{ tool_uses: number | null; duration_ms: number | null }>(reported);
  return { messages, tool_calls: tool_uses ?? 0, wall_ms: duration_ms };
}

/** Teammates in processes of their own have a session of their own. */
async function readTeammates(db: Tx, sessionId: string, revision: number): Promise<readonly AgentPart[]> {
  const members = (await listMembers(db, sessionId)).filter(({ agent_ids }) => agent_ids.length === 0);
  if (members.length === 0) return [];
  const calls = await db
    .selectFrom('tool_calls')
    .select(['id', 'spawned_agent_id'])
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .where('spawned_agent_id', 'is not', null)
    .execute();
  const callOf = new Map(calls.map(({ id, spawned_agent_id }) => [spawned_agent_id, id]));
  const found: AgentPart[] = [];
  for (const member of members)
    found.push({ ...toPart(member, callOf.get(member.id) ?? null), ...(await readOwnSession(db, member.session_id)) });
  return found;
}

type Member = Awaited<ReturnType<typeof listMembers>>[number];

async function readOwnSession(db: Tx, sessionId: string | null): Promise<Pick<AgentPart, 'status' | 'last_line'>> {
  if (sessionId === null) return { status: null, last_line: null };
  const { lifecycle } = await db
    .selectFrom('sessions')
    .select('lifecycle')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  return { status: isLive(lifecycle) ? 'running' : 'completed', last_line: await readMainLine(db, sessionId) };
}

function toPart(member: Member, callId: string | null): Omit<AgentPart, 'status' | 'last_line'> {
  return {
    agent_id: member.id,
    spawning_tool_use_id: callId,
    agent_type: member.agent_type,
    agent_name: member.name,
    team_name: member.team_name,
    description: member.title,
    model: member.model,
    cost_nanos: member.cost_estimate_usd === null ? null : Math.round(member.cost_estimate_usd * NANOS_PER_DOLLAR),
    stats: { messages: member.total_messages ?? 0, tool_calls: 0, wall_ms: null },
    session_id: member.session_id,
  };
}

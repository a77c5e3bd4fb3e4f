import { z } from 'zod';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../domain/requests.ts';
import { queryEndpoint, shape } from './endpoint.ts';
import { levelStats, pageEndpoint } from './structure.ts';
import { count, countOrNull, cursor, limit, text, textOrNull, texts } from './values.ts';

export const subagent = shape(
  'Subagent',
  z.strictObject({
    position: count,
    agent_id: text,
    parent_agent_id: textOrNull,
    spawning_tool_use_id: textOrNull,
    linked_by: textOrNull,
    source: text,
    agent_type: textOrNull,
    agent_name: textOrNull,
    team_name: textOrNull,
    description: textOrNull,
    model: textOrNull,
    status: textOrNull,
    run_in_background: z.boolean(),
    spawn_depth: countOrNull,
    worktree_path: textOrNull,
    cost_nanos: countOrNull,
    reported: z.strictObject({ tokens: countOrNull, tool_uses: countOrNull, duration_ms: countOrNull }),
    stats: levelStats,
    last_line: textOrNull.describe('Last line of the last text it wrote.'),
  }),
);
export type Subagent = z.infer<typeof subagent>;

const teamFields = {
  team_name: text,
  description: textOrNull,
  lead_agent_id: textOrNull,
  created_at: textOrNull,
  ended_at: textOrNull,
};
const team = shape('Team', z.strictObject({ position: count, ...teamFields }));

const memberFields = {
  agent_type: textOrNull,
  model: textOrNull,
  color: textOrNull,
  agent_ids: texts,
  messages_sent: count,
  messages_received: count,
};
const teammate = shape(
  'Teammate',
  z.strictObject({ position: count, team_name: text, id: text, entity_name: text, ...memberFields }),
);

const teamMember = shape(
  'TeamMember',
  z.strictObject({
    name: text,
    session_id: textOrNull,
    title: textOrNull,
    ...memberFields,
    total_messages: countOrNull,
    cost_estimate_usd: z.number().nullable(),
  }),
);
export type TeamMember = z.infer<typeof teamMember>;

const teamRow = z.strictObject({
  session_id: text,
  ...teamFields,
  teammates: count,
  started_at: text,
  members: z.array(teamMember).readonly(),
});
export type TeamRow = z.infer<typeof teamRow>;

const teamPage = z.strictObject({ teams: z.array(teamRow).readonly(), next_cursor: textOrNull });
export type TeamPage = z.infer<typeof teamPage>;

/** Sub-agents and agent teams. */
export const agentEndpoints = {
  'GET /sessions/:id/subagents': pageEndpoint('Sub-agents: parent, activity and cost.', 'subagents', subagent),
  'GET /sessions/:id/teams': queryEndpoint({
    about: 'Agent teams of a session and their members.',
    answer: z.strictObject({ teams: z.array(team).readonly(), teammates: z.array(teammate).readonly() }),
  }),
  'GET /teams': queryEndpoint({
    about: 'Agent teams with their members and sessions, newest first.',
    query: z.strictObject({ limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS), cursor }),
    answer: teamPage,
  }),
};

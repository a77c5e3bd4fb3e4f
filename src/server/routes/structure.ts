import type { structureEndpoints } from '../../api/structure.ts';
import { MAX_PAGE_ROWS } from '../../domain/query.ts';
import type { Handlers } from '../route.ts';

export const structureHandlers: Handlers<typeof structureEndpoints> = {
  'GET /sessions/:id/turns': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('turns', params.id, query);
    return { turns: rows, next_after };
  },
  'GET /sessions/:id/branches': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('branch_points', params.id, query);
    return { branches: rows, next_after };
  },
  'GET /sessions/:id/segments': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('conversation_segments', params.id, query);
    return { segments: rows, next_after };
  },
  'GET /sessions/:id/compactions': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('compactions', params.id, query);
    return { compactions: rows, next_after };
  },
  'GET /sessions/:id/tool-calls': async ({ params, query: { name, status, denial, ...page } }, { reads }) => {
    const where = { name: name === undefined ? undefined : [name], status, denial };
    const { rows, next_after } = await reads.listParts('tool_calls', params.id, { ...page, where });
    return { tool_calls: rows, next_after };
  },
  'GET /sessions/:id/files': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('touched_files', params.id, query);
    return { files: rows, next_after };
  },
  'GET /sessions/:id/subagents': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('subagents', params.id, query);
    return { subagents: rows, next_after };
  },
  'GET /sessions/:id/teams': async ({ params }, { reads }) => {
    const teams = await reads.listParts('teams', params.id, { limit: MAX_PAGE_ROWS });
    const teammates = await reads.listParts('teammates', params.id, { limit: MAX_PAGE_ROWS });
    return { teams: teams.rows, teammates: teammates.rows };
  },
  'GET /sessions/:id/links': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('session_links', params.id, query);
    return { links: rows, next_after };
  },
  'GET /sessions/:id/api-errors': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('api_errors', params.id, query);
    return { api_errors: rows, next_after };
  },
  'GET /sessions/:id/plans': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('plans', params.id, query);
    return { plans: rows, next_after };
  },
  'GET /sessions/:id/todos': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('todos', params.id, query);
    return { todos: rows, next_after };
  },
  'GET /sessions/:id/skills': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('skills', params.id, query);
    return { skills: rows, next_after };
  },
  'GET /sessions/:id/questions': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('questions', params.id, query);
    return { questions: rows, next_after };
  },
  'GET /sessions/:id/worktrees': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('worktrees', params.id, query);
    return { worktrees: rows, next_after };
  },
  'GET /sessions/:id/documents': ({ params, query }, { reads }) => reads.listDocuments(params.id, query),
  'GET /sessions/:id/pull-requests': async ({ params, query }, { reads }) => {
    const { rows, next_after } = await reads.listParts('pull_requests', params.id, query);
    return { pull_requests: rows, next_after };
  },
};

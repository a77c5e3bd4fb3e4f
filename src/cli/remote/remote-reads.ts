import type { Client } from '../../client/client.ts';
import { FuelError } from '../../domain/errors.ts';
import { archivedName } from '../../reading/names.ts';
import type { PageFile } from '../../share/page/page.ts';
import type { PartPage } from '../../store/queries/transcript/parts.ts';
import type { Questions, ShownPart } from '../source.ts';

/** What is asked, asked of a server. */
export function remoteReads(client: Client): Questions {
  return {
    listSessions: (query) => client.get('/sessions', { query }),
    getSession: (id) => client.get('/sessions/:id', { params: { id } }),
    getTranscript: (id, { after, limit, agentIds, full }) =>
      client.get('/sessions/:id/transcript', {
        params: { id },
        query: { after, limit, full, agent_id: agentIds?.map((agentId) => agentId ?? 'main') },
      }),
    listParts: (table, id, query) => listParts(client, table, id, query),
    listEvents: (id, query) => client.get('/sessions/:id/events', { params: { id }, query }),
    listGit: (id, query) => client.get('/sessions/:id/git', { params: { id }, query }),
    listDocuments: (id, query) => client.get('/sessions/:id/documents', { params: { id }, query }),
    listSteps: async (id) => (await client.get('/sessions/:id/steps', { params: { id } })).steps,
    exportSession: async (id, { raw }) =>
      fileOf(await client.get('/sessions/:id/export', { params: { id }, query: raw ? { raw } : {} })),
    openPage: async (id) =>
      fileOf(await client.get('/sessions/:id/export', { params: { id }, query: { format: 'html' } })),
    previewShare: (id) => client.get('/sessions/:id/shares/preview', { params: { id } }),
    listShares: async (id) => {
      const { shares } =
        id === undefined ? await client.get('/shares') : await client.get('/sessions/:id/shares', { params: { id } });
      return shares;
    },
    timeline: (query) => client.get('/timeline', { query }),
    listWorkspaces: (query) => client.get('/workspaces', { query }),
    getWorkspace: (workspace_id) => client.get('/workspaces/:workspace_id', { params: { workspace_id } }),
    listDevices: async () => (await client.get('/devices')).devices,
    usage: (query) => client.get('/usage', { query }),
    cost: ({ by, timezone, since, until }) =>
      client.get('/cost', { query: { by, zone: timezone, since: since ?? undefined, until: until ?? undefined } }),
    toolStats: async (query) => (await client.get('/tools', { query })).tools,
    fileStats: async (query) => (await client.get('/files', { query })).files,
    search: ({ query, ...page }) => client.get('/search', { query: { q: query, ...page } }),
    drift: () => client.get('/drift'),
    status: () => client.get('/status'),
  };
}

const PARTS = {
  branch_points: { path: '/sessions/:id/branches', field: 'branches' },
  compactions: { path: '/sessions/:id/compactions', field: 'compactions' },
  tool_calls: { path: '/sessions/:id/tool-calls', field: 'tool_calls' },
  subagents: { path: '/sessions/:id/subagents', field: 'subagents' },
  plans: { path: '/sessions/:id/plans', field: 'plans' },
  todos: { path: '/sessions/:id/todos', field: 'todos' },
  skills: { path: '/sessions/:id/skills', field: 'skills' },
  questions: { path: '/sessions/:id/questions', field: 'questions' },
  worktrees: { path: '/sessions/:id/worktrees', field: 'worktrees' },
} as const satisfies Readonly<Record<ShownPart, { readonly path: string; readonly field: string }>>;

async function listParts<T extends ShownPart>(
  client: Client,
  table: T,
  id: string,
  query: { readonly after?: number; readonly limit: number },
): Promise<PartPage<T>> {
  const { path, field } = PARTS[table];
  const { next_after, ...lists } = await client.get(path, { params: { id }, query });
  return { rows: (lists as unknown as Readonly<Record<typeof field, PartPage<T>['rows']>>)[field], next_after };
}

function fileOf(response: Response): PageFile {
  const name = /filename\*=UTF-8''(.+)$/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? '';
  return { fileName: archivedName(name), texts: textsOf(response) };
}

async function* textsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) yield decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw new FuelError('unreachable', 'The export broke off before its end.', { hint: 'Try it again.', cause });
  }
}

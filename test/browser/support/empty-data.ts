import type { DataSource } from '../../../src/app/data-source.ts';
import { getFrom } from '../../../src/app/hot-queries.ts';
import type { Queries } from '../../../src/app/queries.ts';
import { EMPTY_DASHBOARDS } from './empty-dashboards.ts';
import { NO_COST_SUMS } from './make-rows.ts';

const EPOCH = '00000000';

/** The same data with some queries answered differently. */
export function withQueries<D extends DataSource>(data: D, queries: Partial<Queries>): D {
  // Most queries are loaded on demand, so they cannot be copied one by one.
  const all = Object.assign(Object.create(data.queries) as Queries, queries);
  return { ...data, queries: all, get: getFrom(all) };
}

/** A store with sessions but no related data; tests override the queries they are about. */
export function createEmptyData(queries: SessionQueries & Partial<Queries>): DataSource {
  const all: Queries = { ...EMPTY, ...queries };
  const bytes = Buffer.from('{"type":"summary"}\n');
  return {
    queries: all,
    get: getFrom(all),
    openFile: async () => ({
      path: 'projects/harbour/session.jsonl',
      sizeBytes: bytes.length,
      tag: '1',
      read: async function* ({ from, to }) {
        yield bytes.subarray(from, to);
      },
      links: async () => ({ path: 'x', size_bytes: 0, sha256: null, expires_at: '', parts: [] }),
    }),
    readRawMessage: async () => [bytes.subarray(0, -1)],
    readMedia: async () => bytes,
    exportSession: async (_, { format }) => ({
      fileName: `harbour-6f1d2c3b.${format}`,
      texts: (async function* () {
        yield format === 'html' ? '<!doctype html>' : '{}\n';
      })(),
    }),
    openShare: async () => ({
      sizeBytes: 15,
      read: async function* () {
        yield Buffer.from('<!doctype html>');
      },
    }),
    ping: async () => {},
    live: {
      clock: async () => ({ epoch: EPOCH, seq: 0 }),
      changes: async () => [],
      messageSizes: async () => [],
      messagesAt: async () => [],
      progress: () => null,
      subscribe: () => () => {},
    },
  };
}

type SessionQueries = Pick<
  Queries,
  | 'GET /sessions'
  | 'GET /sessions/:id'
  | 'GET /sessions/:id/transcript'
  | 'GET /sessions/:id/outline'
  | 'GET /search'
  | 'GET /status'
>;

const NO_USAGE = {
  messages: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_nanos: null,
  unpriced_messages: 0,
};

const NO_COST = {
  source: 'store',
  rows: [],
  total: { ...NO_COST_SUMS, sessions: 0 },
  unknown_models: [],
  service_tiers: [],
  speeds: [],
  inference_geos: [],
  web_searches: null,
  web_fetches: null,
  prices: { book_date: '2026-01-01', sources: [], user_file: null },
  client: null,
  active_block: null,
  budgets: [],
  unreadable: 0,
  deleted_sessions: 0,
} as const;

const LONG_AGO = '2026-01-01T00:00:00.000Z';

const WORKSPACE = {
  id: 'workspace-1',
  canonical_id: 'folder:/home/mira/harbour',
  display_name: 'harbour',
  kind: 'folder',
  default_branch: null,
  sessions: 1,
  last_active_at: LONG_AGO,
  cost_estimate_usd: null,
  unpriced_sessions: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  duration_ms: 0,
  devices: 1,
  first_seen_at: LONG_AGO,
  folders: [],
  merged: [],
  commits: 0,
  recent_sessions: [],
} as const;

const DEVICE = {
  id: 'device-1',
  name: 'laptop',
  type: 'local',
  hostname: 'laptop',
  os: 'linux',
  arch: 'x64',
  status: 'online',
  first_seen_at: LONG_AGO,
  last_seen_at: LONG_AGO,
  sessions: 1,
  last_session_at: LONG_AGO,
  workspaces: [],
  merged: [],
} as const;

const NO_MORE = { next_after: null };
const NO_PAGE = { next_cursor: null };

const EMPTY: Omit<Queries, keyof SessionQueries> = {
  'POST /sessions/batch-status': async ({ body }) => ({ statuses: [], not_found: body.session_ids }),
  'GET /deletions': async () => ({ deletions: [] }),
  'GET /sessions/:id/deletion': async ({ params }) => ({
    session_id: params.id,
    title: 'A session',
    device_id: 'device-1',
    is_live: false,
    messages: 3,
    files: 1,
    files_beside: 0,
    size_bytes: 2_048,
    shared_bytes: 0,
    documents: 0,
    notes: 0,
    events: 0,
    shares: 0,
    shipped_files: 0,
    forks: [],
    claude_files: [],
  }),
  'GET /sessions/:id/events': async () => ({ events: [], ...NO_PAGE }),
  'GET /sessions/:id/git': async () => ({ git_activity: [], ...NO_PAGE }),
  'GET /sessions/:id/steps': async () => ({ steps: [] }),
  'GET /sessions/:id/usage': async () => ({ total: NO_USAGE, models: [] }),
  'GET /sessions/:id/documents': async () => ({ documents: [], ...NO_MORE }),
  'GET /sessions/:id/transcript/links': async () => ({
    path: 'x',
    size_bytes: 0,
    sha256: null,
    expires_at: '',
    parts: [],
  }),
  'GET /sessions/:id/messages/:message_id/path': async () => ({ message_ids: [], ordinals: [], turn_id: null }),
  'GET /sessions/:id/find': async () => ({ hits: [], total: 0, is_complete: true }),
  'GET /sessions/:id/markdown': async () => ({ text: '', next_from: null }),
  'GET /sessions/:id/shares/preview': async ({ params }) => ({
    session_id: params.id,
    title: '',
    file_name: '',
    size_bytes: 0,
    redacted: {},
  }),
  'GET /sessions/:id/shares': async () => ({ shares: [] }),
  'GET /shares': async () => ({ shares: [] }),
  'GET /budgets': async ({ query: { zone } }) => ({ timezone: zone, budgets: [] }),
  'GET /views': async () => ({ views: [] }),
  'GET /rescue': async () => ({ first_import_at: null, sessions: 0, would_be_deleted: 0 }),
  'GET /facets': async () => ({ sessions: 0, cost_nanos: 0, facets: [] }),
  'GET /session-days': async () => ({ days: [] }),
  'GET /browser-keys': async () => ({ keys: [] }),
  'GET /sessions/:id/prompts': async () => ({ prompts: [], ...NO_MORE }),
  'GET /sessions/:id/turns': async () => ({ turns: [], ...NO_MORE }),
  'GET /sessions/:id/branches': async () => ({ branches: [], ...NO_MORE }),
  'GET /sessions/:id/segments': async () => ({ segments: [], ...NO_MORE }),
  'GET /sessions/:id/context': async () => ({
    agent_id: null,
    model: null,
    window: null,
    most_tokens: 0,
    parts: [],
    points: { ordinal: [], turn: [], total: [], by_part: [] },
    compactions: [],
  }),
  'GET /sessions/:id/compactions/:compaction_id/diff': async ({ params }) => ({
    id: params.compaction_id,
    ordinal: 0,
    kind: 'full',
    trigger: null,
    pre_tokens: null,
    post_tokens: null,
    summary: null,
    summary_ordinal: null,
    items: [],
    kept: 0,
    lost: 0,
    is_complete: true,
  }),
  'GET /sessions/:id/waterfall': async () => ({
    agents: [],
    calls: {
      ordinal: [],
      block: [],
      name: [],
      subject: [],
      agent: [],
      turn_id: [],
      started_ms: [],
      waiting_ms: [],
      duration_ms: [],
      status: [],
    },
  }),
  'GET /sessions/:id/costs': async () => ({ total: NO_USAGE, rows: [], files: [] }),
  'GET /sessions/:id/relatives': async () => ({ relatives: [] }),
  'GET /sessions/:id/compactions': async () => ({ compactions: [], ...NO_MORE }),
  'GET /sessions/:id/tool-calls': async () => ({ tool_calls: [], ...NO_MORE }),
  'GET /sessions/:id/files': async () => ({ files: [], ...NO_MORE }),
  'GET /sessions/:id/subagents': async () => ({ subagents: [], ...NO_MORE }),
  'GET /sessions/:id/teams': async () => ({ teams: [], teammates: [] }),
  'GET /sessions/:id/links': async () => ({ links: [], ...NO_MORE }),
  'GET /sessions/:id/api-errors': async () => ({ api_errors: [], ...NO_MORE }),
  'GET /sessions/:id/plans': async () => ({ plans: [], ...NO_MORE }),
  'GET /sessions/:id/todos': async () => ({ todos: [], ...NO_MORE }),
  'GET /sessions/:id/skills': async () => ({ skills: [], ...NO_MORE }),
  'GET /sessions/:id/questions': async () => ({ questions: [], ...NO_MORE }),
  'GET /sessions/:id/worktrees': async () => ({ worktrees: [], ...NO_MORE }),
  'GET /sessions/:id/pull-requests': async () => ({ pull_requests: [], ...NO_MORE }),
  'GET /search/facets': async () => ({
    sessions: 0,
    places: 0,
    cost_nanos: 0,
    facets: [],
    types: [],
    tools: [],
    is_complete: true,
  }),
  'GET /sessions/:id/hits': async ({ query: { q } }) => ({
    query: q,
    terms: [],
    hits: [],
    total: 0,
    is_complete: true,
  }),
  'GET /search/values': async ({ query: { field } }) => ({ field, values: [], has_more: false }),
  'GET /timeline': async () => ({ items: [], ...NO_PAGE }),
  'GET /events': async () => ({ events: [], ...NO_PAGE }),
  'GET /workspaces': async () => ({ workspaces: [], ...NO_PAGE }),
  'GET /workspaces/:workspace_id': async () => WORKSPACE,
  'GET /devices': async () => ({ devices: [] }),
  'GET /devices/:device_id': async () => DEVICE,
  'GET /teams': async () => ({ teams: [], ...NO_PAGE }),
  'GET /drift': async () => ({ records: 0, known: 0, pass_rate: null, versions: [], shapes: [] }),
  'GET /usage': async () => ({ total: { ...NO_USAGE, cost_nanos: 0 }, rows: [] }),
  'GET /cost': async ({ query: { by, zone, since = null, until = null } }) => ({
    ...NO_COST,
    by,
    timezone: zone,
    since,
    until,
  }),
  'GET /tools': async () => ({ tools: [] }),
  'GET /files': async () => ({ files: [] }),
  ...EMPTY_DASHBOARDS,
  'GET /files/history': async () => ({ touches: [], next_cursor: null }),
  'GET /commits': async () => ({ commits: [], next_cursor: null }),
};

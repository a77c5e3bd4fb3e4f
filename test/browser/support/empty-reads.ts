import type { Reads } from '../../../src/app/queries.ts';
import type { Part, PartName } from '../../../src/store/queries/transcript/parts.ts';

const EPOCH = '00000000';

/** The reads of a store in which sessions have nothing around them; tests put what they are about over it. */
export function createEmptyReads(): Omit<Reads, 'listSessions' | 'getSession' | 'getTranscript' | 'search' | 'status'> {
  const bytes = Buffer.from('{"type":"summary"}\n');
  return {
    batchStatus: async (ids) => ({ statuses: [], not_found: ids }),
    getPath: async () => ({ message_ids: [], ordinals: [], turn_id: null }),
    openFile: async () => ({
      path: 'projects/harbour/session.jsonl',
      sizeBytes: bytes.length,
      tag: '1',
      read: async function* ({ from, to }) {
        yield bytes.subarray(from, to);
      },
      links: async () => ({ path: 'x', size_bytes: 0, sha256: null, expires_at: '', parts: [] }),
    }),
    listParts: async <T extends PartName>() => ({ rows: [] as Part<T>[], next_after: null }),
    listEvents: async () => ({ events: [], next_cursor: null }),
    listGit: async () => ({ git_activity: [], next_cursor: null }),
    listDocuments: async () => ({ documents: [], next_after: null }),
    listSteps: async () => [],
    exportSession: async () => ({
      fileName: 'harbour-6f1d2c3b.json',
      texts: (async function* () {
        yield '{}\n';
      })(),
    }),
    openPage: async () => ({
      fileName: 'harbour-6f1d2c3b.html',
      texts: (async function* () {
        yield '<!doctype html>';
      })(),
    }),
    listShares: async () => [],
    previewShare: async (session_id) => ({ session_id, title: '', file_name: '', size_bytes: 0, redacted: {} }),
    openShare: async () => ({
      sizeBytes: 15,
      read: async function* () {
        yield Buffer.from('<!doctype html>');
      },
    }),
    getUsage: async () => ({ total: NO_USAGE, models: [] }),
    timeline: async () => ({ items: [], next_cursor: null }),
    listWorkspaces: async () => ({ workspaces: [], next_cursor: null }),
    getWorkspace: async () => WORKSPACE,
    listDevices: async () => [],
    listAllEvents: async () => ({ events: [], next_cursor: null }),
    getDevice: async () => DEVICE,
    listTeams: async () => ({ teams: [], next_cursor: null }),
    usage: async () => ({ total: { ...NO_USAGE, cost_nanos: 0 }, rows: [] }),
    cost: async (query) => ({ ...query, ...NO_COST }),
    toolStats: async () => [],
    fileStats: async () => [],
    drift: async () => ({ records: 0, known: 0, pass_rate: null, versions: [], shapes: [] }),
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
  total: {
    ...NO_USAGE,
    sessions: 0,
    cache_write_1h_tokens: 0,
    cost_nanos: 0,
    cost_usd: 0,
    subagent_cost_nanos: 0,
    subagent_cost_usd: 0,
  },
  unknown_models: [],
  service_tiers: [],
  speeds: [],
  inference_geos: [],
  web_searches: null,
  web_fetches: null,
  prices: { book_date: '2026-01-01', sources: [], user_file: null },
  client: null,
  unreadable: 0,
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

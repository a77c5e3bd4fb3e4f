import { SESSION_CONTENTS } from '../../domain/session.ts';
import { WORK_KINDS } from '../../domain/summary.ts';
import type { ColumnTypes, Migration } from '../migrate.ts';

/**
 * Which journals this database has replayed. A new database beside an existing archive has lost something; one that already
 * contains files has written its journal itself.
 */
export const repair: Migration = {
  version: 15,
  name: 'repair',
  statements: ({ time }) => [
    `CREATE TABLE known_journals (
      name     TEXT PRIMARY KEY,
      known_at ${time} NOT NULL
    )`,
    `INSERT INTO known_journals (name, known_at)
     SELECT '*', min(first_seen_at) FROM source_files HAVING count(*) > 0`,
  ],
};

const contents = Object.keys(SESSION_CONTENTS)
  .map((content) => `'${content}'`)
  .join(', ');

/** The content of a session, and the titles that files of other sessions give it. Filled by the next parse. */
export const understand: Migration = {
  version: 16,
  name: 'understand',
  statements: ({ int }) => [
    `ALTER TABLE sessions ADD COLUMN content TEXT NOT NULL DEFAULT 'prompted' CHECK (content IN (${contents}))`,
    'ALTER TABLE sessions ADD COLUMN sibling_title TEXT',
    'ALTER TABLE transcript_messages ADD COLUMN leaf_uuid TEXT',
    'CREATE INDEX messages_by_leaf ON transcript_messages (leaf_uuid) WHERE leaf_uuid IS NOT NULL',
    `CREATE TABLE leaf_titles (
      session_id TEXT NOT NULL REFERENCES sessions(id),
      revision ${int} NOT NULL,
      position ${int} NOT NULL,
      leaf_uuid TEXT NOT NULL,
      title TEXT NOT NULL,
      PRIMARY KEY (session_id, revision, position)
    )`,
    'CREATE INDEX leaf_titles_by_leaf ON leaf_titles (leaf_uuid)',
  ],
};

/** Facts from transcripts that were only in the raw bytes before. Filled by the next parse. */
export const facts: Migration = {
  version: 17,
  name: 'facts',
  statements: (types) => [
    ...messageColumns(types),
    ...sessionColumns(types),
    ...partColumns(),
    ...partTables(types),
    ...documentTables(types),
  ],
};

function messageColumns({ int }: ColumnTypes): readonly string[] {
  const texts = ['cc_version', 'entrypoint', 'user_type', 'team_name', 'permission_mode'];
  const request = ['service_tier', 'speed', 'inference_geo', 'cache_miss_reason'];
  const counts = ['iterations', 'web_searches', 'web_fetches', 'thinking_tokens', 'cache_missed_tokens'];
  return [
    ...[...texts, ...request].map((name) => `ALTER TABLE transcript_messages ADD COLUMN ${name} TEXT`),
    ...counts.map((name) => `ALTER TABLE transcript_messages ADD COLUMN ${name} ${int}`),
  ];
}

function sessionColumns({ json, int }: ColumnTypes): readonly string[] {
  return [
    ...['service_tiers', 'speeds', 'inference_geos'].map(
      (name) => `ALTER TABLE sessions ADD COLUMN ${name} ${json} NOT NULL DEFAULT '[]'`,
    ),
    ...['web_searches', 'web_fetches'].map((name) => `ALTER TABLE sessions ADD COLUMN ${name} ${int}`),
  ];
}

function partColumns(): readonly string[] {
  return [
    'ALTER TABLE tool_calls ADD COLUMN caller TEXT',
    'ALTER TABLE plans ADD COLUMN text TEXT',
    "ALTER TABLE todos ADD COLUMN list TEXT NOT NULL DEFAULT 'todo'",
    'ALTER TABLE todos ADD COLUMN description TEXT',
    'ALTER TABLE todos ADD COLUMN owner TEXT',
  ];
}

function partTables({ json, time, bool, int }: ColumnTypes): readonly string[] {
  const table = (name: string, columns: string) => `CREATE TABLE ${name} (
      session_id TEXT NOT NULL REFERENCES sessions(id),
      revision ${int} NOT NULL,
      position ${int} NOT NULL,
      ${columns.trim()},
      PRIMARY KEY (session_id, revision, position)
    )`;
  return [
    table(
      'format_versions',
      `cc_version TEXT NOT NULL,
      records ${int} NOT NULL,
      known ${int} NOT NULL`,
    ),
    table(
      'skills',
      `name TEXT NOT NULL,
      args TEXT,
      used_by TEXT NOT NULL,
      agent_id TEXT,
      tool_use_id TEXT,
      message_id TEXT,
      status TEXT NOT NULL,
      timestamp ${time}`,
    ),
    table(
      'questions',
      `tool_use_id TEXT NOT NULL,
      agent_id TEXT,
      message_id TEXT,
      header TEXT,
      question TEXT NOT NULL,
      is_multi_select ${bool} NOT NULL,
      options ${json} NOT NULL,
      answer TEXT,
      chosen ${json} NOT NULL,
      notes TEXT,
      status TEXT NOT NULL,
      answered_at ${time}`,
    ),
    table(
      'worktrees',
      `name TEXT,
      path TEXT,
      branch TEXT,
      original_cwd TEXT,
      original_branch TEXT,
      original_commit TEXT,
      agent_id TEXT,
      entered_at ${time},
      left_at ${time},
      left_by TEXT`,
    ),
  ];
}

/** Plans, to-do files, session memory and typed prompts: texts beside the transcripts, and how far each file was read. */
function documentTables({ time, int }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE documents (
      id             TEXT PRIMARY KEY,
      source_file_id TEXT NOT NULL REFERENCES source_files(id),
      entry          ${int} NOT NULL,
      device_id      TEXT NOT NULL REFERENCES devices(id),
      session_id     TEXT,
      kind           TEXT NOT NULL,
      path           TEXT NOT NULL,
      title          TEXT,
      text           TEXT NOT NULL,
      timestamp      ${time}
    )`,
    'CREATE INDEX documents_by_session ON documents (session_id)',
    'CREATE INDEX documents_by_file ON documents (source_file_id)',
    'CREATE INDEX documents_by_path ON documents (device_id, path)',
    `CREATE TABLE document_files (
      source_file_id TEXT PRIMARY KEY REFERENCES source_files(id),
      generation     ${int} NOT NULL,
      size_bytes     ${int} NOT NULL,
      read_bytes     ${int} NOT NULL
    )`,
  ];
}

const kinds = Object.keys(WORK_KINDS)
  .map((kind) => `'${kind}'`)
  .join(', ');

/** The kind of work done in a session. Written with its narrative, which an upgrade rewrites. */
export const narrative: Migration = {
  version: 18,
  name: 'narrative',
  statements: () => [
    `ALTER TABLE sessions ADD COLUMN work_kind TEXT CHECK (work_kind IN (${kinds}))`,
    'CREATE INDEX sessions_by_work_kind ON sessions (work_kind) WHERE work_kind IS NOT NULL',
  ],
};

/**
 * The origin of sessions: what their lines state, what comparing them has shown, and what was copied. Also the figures of
 * messages of which another session has a more complete copy than the one that counts them.
 */
export const links: Migration = {
  version: 19,
  name: 'links',
  statements: ({ time, int, bool }) => [
    'ALTER TABLE transcript_messages ADD COLUMN copied_from TEXT',
    `ALTER TABLE tool_calls ADD COLUMN is_inherited ${bool} NOT NULL DEFAULT FALSE`,
    `CREATE TABLE session_lineage (
      session_id         TEXT PRIMARY KEY REFERENCES sessions(id),
      first_message_id   TEXT,
      lead_ms            ${int},
      cleared_at         ${time},
      left_at            ${time},
      process_session_id TEXT,
      parent_session_id  TEXT,
      is_certain         ${bool} NOT NULL DEFAULT TRUE,
      inherited_through  TEXT,
      cleared_from       TEXT
    )`,
    'CREATE INDEX session_lineage_by_first_message ON session_lineage (first_message_id)',
    'CREATE INDEX session_lineage_by_clear ON session_lineage (cleared_at)',
    'CREATE INDEX session_lineage_by_left ON session_lineage (cleared_from) WHERE cleared_from IS NOT NULL',
    `CREATE INDEX session_lineage_by_process ON session_lineage (process_session_id, cleared_at)
      WHERE process_session_id IS NOT NULL`,
    "CREATE INDEX sessions_by_last_line ON sessions (device_id, (metadata ->> 'last_line_at'))",
    'CREATE INDEX events_by_device_time ON events (device_id, timestamp)',
    `CREATE TABLE adopted_usage (
      session_id     TEXT NOT NULL REFERENCES sessions(id),
      usage_key      TEXT NOT NULL,
      model          TEXT,
      tokens_in      ${int},
      tokens_out     ${int},
      cache_read     ${int},
      cache_write    ${int},
      cache_write_1h ${int},
      cost_nanos     ${int},
      PRIMARY KEY (session_id, usage_key)
    )`,
  ],
};

/**
 * Sessions reported by hooks, tokens bound to one device, names of devices, and how far repositories were read. Unused
 * columns are dropped.
 */
export const lifecycle: Migration = {
  version: 20,
  name: 'lifecycle',
  statements: ({ time }) => [
    // PostgreSQL refuses to alter `sessions` after its rows changed in the same migration: keep this first.
    'ALTER TABLE sessions DROP COLUMN transcript_s3_key',
    'ALTER TABLE events DROP COLUMN blob_refs',
    'CREATE INDEX events_by_time ON events (timestamp, id)',
    'ALTER TABLE devices DROP COLUMN status',
    'ALTER TABLE workspace_devices DROP COLUMN hooks_installed',
    'ALTER TABLE workspace_devices DROP COLUMN git_hooks_installed',
    'ALTER TABLE workspace_devices DROP COLUMN git_hooks_prompted',
    'ALTER TABLE workspace_devices DROP COLUMN pending_git_hooks_prompt',
    'ALTER TABLE devices ADD COLUMN custom_name TEXT',
    'ALTER TABLE devices ADD COLUMN merged_into TEXT REFERENCES devices(id)',
    'ALTER TABLE device_tokens ADD COLUMN device_id TEXT',
    // An older token with the name of exactly one device belongs to that device; others are bound when they are used.
    `UPDATE device_tokens SET device_id = (SELECT d.id FROM devices d WHERE d.name = device_tokens.name)
      WHERE (SELECT count(*) FROM devices d WHERE d.name = device_tokens.name) = 1`,
    "UPDATE device_tokens SET device_id = '' WHERE device_id IS NULL",
    "ALTER TABLE git_activity ADD COLUMN order_key TEXT NOT NULL DEFAULT '0000000'",
    'ALTER TABLE git_activity ADD COLUMN relation TEXT',
    "UPDATE git_activity SET order_key = '1000000' WHERE type = 'push'",
    "UPDATE git_activity SET order_key = '2000000' WHERE type = 'pr'",
    `UPDATE git_activity SET relation = CASE WHEN linked_by IN ('sha', 'call') THEN 'own' ELSE 'meanwhile' END
      WHERE session_id IS NOT NULL`,
    `CREATE TABLE repository_looks (
      device_id  TEXT NOT NULL REFERENCES devices(id),
      common_dir TEXT NOT NULL,
      stamp      TEXT NOT NULL,
      looked_at  ${time} NOT NULL,
      PRIMARY KEY (device_id, common_dir)
    )`,
  ],
};

/** The messages of one sub-agent are found without reading those of all others. */
export const agentMessages: Migration = {
  version: 21,
  name: 'agent-messages',
  statements: () => [
    'CREATE INDEX messages_by_agent ON transcript_messages (session_id, revision, agent_id, ordinal) WHERE agent_id IS NOT NULL',
  ],
};

/** How long a tool call waited for a person or for other calls, apart from how long it ran. */
export const waiting: Migration = {
  version: 22,
  name: 'waiting',
  statements: () => ['ALTER TABLE tool_calls ADD COLUMN waiting_ms BIGINT'],
};

/** The team of a session, and its role in it. Filled by the next parse. */
export const teams: Migration = {
  version: 23,
  name: 'teams',
  statements: ({ int }) => [
    'ALTER TABLE sessions ADD COLUMN team_name TEXT',
    'ALTER TABLE sessions ADD COLUMN agent_name TEXT',
    'CREATE INDEX sessions_by_team ON sessions (team_name) WHERE team_name IS NOT NULL',
    `ALTER TABLE teammates ADD COLUMN messages_sent ${int} NOT NULL DEFAULT 0`,
  ],
};

/** Sessions that share messages are compared once per import, not once per session: until then they are marked. */
export const families: Migration = {
  version: 24,
  name: 'families',
  statements: ({ bool }) => [
    `ALTER TABLE session_lineage ADD COLUMN needs_settling ${bool} NOT NULL DEFAULT FALSE`,
    'CREATE INDEX session_lineage_to_settle ON session_lineage (session_id) WHERE needs_settling',
    'CREATE INDEX messages_by_counted_key ON transcript_messages (usage_key) WHERE counted',
  ],
};

/** Renamed steps: the one called `price` makes new rows current, and prices are computed during the parse. */
export const publishStep: Migration = {
  version: 25,
  name: 'publish-step',
  statements: () => [
    "UPDATE session_steps SET step = 'publish' WHERE step = 'price'",
    "UPDATE session_steps SET step = 'summarize' WHERE step = 'summarise'",
  ],
};

/** Browsers that may use the page. Only the hash of a key is stored; a revoked key is removed. */
export const browserKeys: Migration = {
  version: 26,
  name: 'browser-keys',
  statements: ({ time }) => [
    `CREATE TABLE browser_keys (
      id           TEXT PRIMARY KEY,
      name         TEXT NOT NULL,
      sha256       TEXT NOT NULL,
      created_at   ${time} NOT NULL,
      last_used_at ${time}
    )`,
  ],
};

/** Failed calls are counted for every row of the list. */
export const failedCalls: Migration = {
  version: 27,
  name: 'failed-calls',
  statements: () => [
    "CREATE INDEX tool_calls_failed ON tool_calls (session_id, revision, is_inherited) WHERE status = 'error'",
  ],
};

/** Named filters of the session list. */
export const savedViews: Migration = {
  version: 28,
  name: 'saved-views',
  statements: ({ time }) => [
    `CREATE TABLE saved_views (
      id         TEXT PRIMARY KEY,
      name       TEXT NOT NULL,
      q          TEXT NOT NULL,
      sort       TEXT,
      sort_order TEXT,
      grouped_by TEXT,
      created_at ${time} NOT NULL,
      updated_at ${time} NOT NULL
    )`,
  ],
};

/** Which messages were written each time a session grew, so that an outline can be read incrementally. */
export const rowChanges: Migration = {
  version: 31,
  name: 'row-changes',
  statements: () => ["ALTER TABLE sessions ADD COLUMN row_changes TEXT NOT NULL DEFAULT '[]'"],
};

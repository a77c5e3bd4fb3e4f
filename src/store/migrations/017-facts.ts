import type { ColumnTypes, Migration } from '../migrate.ts';

/** Facts that transcripts state and that were only in the raw bytes. Rows come with the next parse. */
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

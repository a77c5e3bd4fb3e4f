import type { TableName } from './engine.ts';

/**
 * Where the rows of a table come from, which decides what a rebuild does with them. `kept`: they exist only in the
 * database and are copied from the old one. `archived`: the journal has them too; those it lost are copied. `derived`:
 * they are recreated from the archive. `passing`: they describe running processes and are dropped.
 */
type TableOrigin = 'kept' | 'archived' | 'derived' | 'passing';

const TABLE_ORIGINS = {
  adopted_usage: 'derived',
  api_errors: 'derived',
  archived_usage: 'derived',
  blobs: 'archived',
  branch_points: 'derived',
  browser_keys: 'kept',
  change_clock: 'passing',
  compactions: 'derived',
  content_blocks: 'derived',
  conversation_segments: 'derived',
  device_tokens: 'kept',
  devices: 'kept',
  document_files: 'derived',
  documents: 'derived',
  events: 'kept',
  format_versions: 'derived',
  generations: 'archived',
  git_activity: 'kept',
  git_calls: 'derived',
  git_shipments: 'kept',
  known_journals: 'passing',
  leaf_titles: 'derived',
  leases: 'passing',
  plans: 'derived',
  price_books: 'kept',
  pull_requests: 'derived',
  questions: 'derived',
  repository_looks: 'passing',
  saved_views: 'kept',
  search_documents: 'derived',
  segments: 'archived',
  session_changes: 'passing',
  session_folders: 'derived',
  session_lineage: 'derived',
  session_links: 'derived',
  session_notes: 'kept',
  session_pins: 'kept',
  session_steps: 'passing',
  session_summaries: 'kept',
  session_tags: 'kept',
  session_workspaces: 'kept',
  sessions: 'derived',
  share_parts: 'kept',
  shares: 'kept',
  shipments: 'kept',
  shipping: 'kept',
  skills: 'derived',
  source_files: 'archived',
  subagents: 'derived',
  summary_services: 'kept',
  summary_spend: 'kept',
  teammates: 'derived',
  teams: 'derived',
  todos: 'derived',
  tool_calls: 'derived',
  touched_files: 'derived',
  transcript_messages: 'derived',
  turns: 'derived',
  unknown_shapes: 'derived',
  usage_rollups: 'derived',
  workspace_devices: 'kept',
  workspace_folders: 'kept',
  workspaces: 'kept',
  worktrees: 'derived',
} as const satisfies Record<TableName, TableOrigin>;

export function tablesOf(origin: TableOrigin): readonly TableName[] {
  return (Object.keys(TABLE_ORIGINS) as TableName[]).filter((table) => TABLE_ORIGINS[table] === origin);
}

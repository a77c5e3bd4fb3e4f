import type { Generated, GeneratedAlways } from 'kysely';

// Generated from the migrated database by test/contract/rows.test.ts; do not edit.

/** SQLite gives 0 or 1 where PostgreSQL gives false or true. */
export type SqlBoolean = boolean | number;
/** JSON as text, on both engines; read it with `readJson`. */
export type JsonText = string;

export interface AdoptedUsageTable {
  cache_read: number | null;
  cache_write: number | null;
  cache_write_1h: number | null;
  cost_nanos: number | null;
  model: string | null;
  session_id: string;
  tokens_in: number | null;
  tokens_out: number | null;
  usage_key: string;
}

export interface ApiErrorsTable {
  agent_id: string | null;
  kind: string | null;
  max_retries: number | null;
  message_id: string;
  position: number;
  retry_attempt: number | null;
  retry_in_ms: number | null;
  revision: number;
  session_id: string;
  status: number | null;
  text: string | null;
  timestamp: string | null;
}

export interface ArchivedUsageTable {
  counted: SqlBoolean;
  session_id: string;
  usage_key: string;
}

export interface BlobsTable {
  created_at: string;
  sha256: string;
  size_bytes: number;
  stored_bytes: number;
}

export interface BranchPointsTable {
  agent_id: string | null;
  current_turn_id: string;
  message_id: string | null;
  position: number;
  revision: number;
  session_id: string;
  turn_ids: JsonText;
  uuid: string;
}

export interface ChangeClockTable {
  epoch: string;
  seq: number;
}

export interface CompactionsTable {
  agent_id: string | null;
  cleared_tool_use_ids: JsonText;
  compact_sequence: number;
  dropped_tokens: number | null;
  duration_ms: number | null;
  id: string;
  kind: string;
  logical_parent_uuid: string | null;
  position: number;
  post_tokens: number | null;
  pre_tokens: number | null;
  preserved_uuids: JsonText;
  revision: number;
  saved_tokens: number | null;
  session_id: string;
  summary_message_id: string | null;
  timestamp: string | null;
  trigger_name: string | null;
}

export interface ContentBlocksTable {
  block_order: number;
  block_type: string;
  content_text: string | null;
  id: string;
  is_error: SqlBoolean | null;
  message_id: string;
  metadata: Generated<JsonText>;
  result_s3_key: string | null;
  result_text: string | null;
  revision: number;
  session_id: string;
  thinking_text: string | null;
  tool_input: JsonText | null;
  tool_name: string | null;
  tool_result_id: string | null;
  tool_use_id: string | null;
}

export interface ConversationSegmentsTable {
  agent_id: string | null;
  compact_sequence: number;
  compaction_id: string | null;
  first_message_id: string;
  kind: string;
  last_message_id: string;
  position: number;
  revision: number;
  session_id: string;
  stats: JsonText;
}

export interface DeviceTokensTable {
  created_at: string;
  device_id: string | null;
  id: string;
  is_write_only: SqlBoolean;
  last_used_at: string | null;
  name: string;
  revoked_at: string | null;
  sha256: string;
}

export interface DevicesTable {
  arch: string | null;
  custom_name: string | null;
  first_seen_at: string;
  git_order: Generated<number>;
  hostname: string | null;
  id: string;
  last_seen_at: string;
  merged_into: string | null;
  metadata: Generated<JsonText>;
  name: string;
  os: string | null;
  type: Generated<string>;
}

export interface DocumentFilesTable {
  generation: number;
  read_bytes: number;
  size_bytes: number;
  source_file_id: string;
}

export interface DocumentsTable {
  device_id: string;
  entry: number;
  id: string;
  kind: string;
  path: string;
  session_id: string | null;
  source_file_id: string;
  text: string;
  timestamp: string | null;
  title: string | null;
}

export interface EventsTable {
  data: Generated<JsonText>;
  device_id: string;
  id: string;
  ingested_at: string;
  session_id: string | null;
  shipped_to: string | null;
  shipping_refusal: string | null;
  timestamp: string;
  type: string;
  workspace_id: string | null;
}

export interface FormatVersionsTable {
  cc_version: string;
  known: number;
  position: number;
  records: number;
  revision: number;
  session_id: string;
}

export interface GenerationsTable {
  created_at: string;
  head_sha256: string;
  number: number;
  sha256: string | null;
  size_bytes: number;
  source_file_id: string;
  tail_sha256: string;
  updated_at: string;
}

export interface GitActivityTable {
  branch: string | null;
  commit_sha: string | null;
  created_at: string;
  data: Generated<JsonText>;
  deletions: number | null;
  device_id: string;
  duplicate_of: string | null;
  facts_version: Generated<number>;
  files_changed: number | null;
  folder: string | null;
  id: string;
  insertions: number | null;
  is_worktree: Generated<SqlBoolean>;
  linked_by: string | null;
  message: string | null;
  order_key: Generated<string>;
  relation: string | null;
  session_id: string | null;
  timestamp: string;
  tool_use_id: string | null;
  type: string;
  workspace_id: string;
  worktree_name: string | null;
}

export interface GitCallsTable {
  branch: string | null;
  data: Generated<JsonText>;
  ended_at: string | null;
  is_reported: SqlBoolean;
  kind: string;
  message: string | null;
  position: number;
  session_id: string;
  sha: string | null;
  started_at: string | null;
  tool_use_id: string;
}

export interface GitShipmentsTable {
  item_id: string;
  refusal: string | null;
  server: string;
  told: string;
  updated_at: string;
}

export interface KnownJournalsTable {
  known_at: string;
  name: string;
}

export interface LeafTitlesTable {
  leaf_uuid: string;
  position: number;
  revision: number;
  session_id: string;
  title: string;
}

export interface LeasesTable {
  expires_at_ms: number;
  holder: string;
  name: string;
  token: number;
}

export interface PlansTable {
  characters: number;
  file_path: string | null;
  message_id: string | null;
  planning_session_id: string | null;
  position: number;
  revision: number;
  session_id: string;
  status: string;
  text: string | null;
  tool_use_id: string | null;
}

export interface PriceBooksTable {
  book: string;
  book_date: string;
  device_id: string;
  seq: number;
}

export interface PullRequestsTable {
  number: number | null;
  position: number;
  repository: string | null;
  revision: number;
  session_id: string;
  url: string | null;
}

export interface QuestionsTable {
  agent_id: string | null;
  answer: string | null;
  answered_at: string | null;
  chosen: JsonText;
  header: string | null;
  is_multi_select: SqlBoolean;
  message_id: string | null;
  notes: string | null;
  options: JsonText;
  position: number;
  question: string;
  revision: number;
  session_id: string;
  status: string;
  tool_use_id: string;
}

export interface RepositoryLooksTable {
  common_dir: string;
  device_id: string;
  looked_at: string;
  stamp: string;
}

export interface SearchDocumentsTable {
  block_order: number;
  call_id: string | null;
  chars: number;
  id: Generated<number>;
  kind: string;
  message_id: string;
  part: number;
  session_id: string;
}

export interface SegmentsTable {
  blob_offset: Generated<number>;
  blob_sha256: string;
  created_at: string;
  generation: number;
  size_bytes: number;
  source_file_id: string;
  start_offset: number;
}

export interface SessionChangesTable {
  seq: number;
  session_id: string;
}

export interface SessionFoldersTable {
  folder: string;
  position: number;
  session_id: string;
  workspace_id: string;
}

export interface SessionLineageTable {
  cleared_at: string | null;
  cleared_from: string | null;
  first_message_id: string | null;
  inherited_through: string | null;
  is_certain: Generated<SqlBoolean>;
  lead_ms: number | null;
  left_at: string | null;
  needs_settling: Generated<SqlBoolean>;
  parent_session_id: string | null;
  process_session_id: string | null;
  session_id: string;
}

export interface SessionLinksTable {
  kind: string;
  lines: number;
  other_session_id: string;
  position: number;
  revision: number;
  session_id: string;
  uuid: string | null;
}

export interface SessionNotesTable {
  created_at: string;
  id: string;
  session_id: string;
  text: string;
  updated_at: string;
}

export interface SessionPinsTable {
  pinned_at: string;
  session_id: string;
}

export interface SessionStepsTable {
  attempts: number;
  duration_ms: number;
  error: string | null;
  error_code: string | null;
  finished_at: string;
  next_try_at_ms: number;
  outcome: string;
  revision: number;
  session_id: string;
  step: string;
}

export interface SessionSummariesTable {
  agent_id: Generated<string>;
  attempts: Generated<number>;
  bad_answers: Generated<number>;
  error: string | null;
  input_sha256: string | null;
  kind: string;
  made_at: string | null;
  model: string | null;
  next_try_at: string | null;
  rows_version: Generated<number>;
  sections: Generated<JsonText>;
  session_id: string;
  spent_nanos: Generated<number>;
  state: string;
  text: string | null;
  title: string | null;
  tokens_in: number | null;
  tokens_out: number | null;
  version: Generated<number>;
}

export interface SessionTagsTable {
  created_at: string;
  session_id: string;
  tag: string;
}

export interface SessionWorkspacesTable {
  decided_at: string;
  is_chosen: SqlBoolean;
  session_id: string;
  workspace_id: string;
}

export interface SessionsTable {
  agent_name: string | null;
  anomalies: Generated<JsonText>;
  archived_at: string | null;
  assistant_messages: number | null;
  attempts: Generated<number>;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  captured_version: Generated<number>;
  cc_version: string | null;
  claim_expires_at_ms: Generated<number>;
  claim_holder: string | null;
  claim_token: Generated<number>;
  claim_work: string | null;
  client_title: string | null;
  content: Generated<string>;
  correlated_version: Generated<number>;
  cost_estimate_usd: GeneratedAlways<number | null>;
  cost_nanos: number | null;
  created_at: string;
  cwd: string | null;
  deaths: Generated<number>;
  device_id: string;
  duration_ms: number | null;
  end_reason: string | null;
  ended_at: string | null;
  git_branch: string | null;
  id: string;
  indexed_revision: Generated<number>;
  indexed_version: Generated<number>;
  inference_geos: Generated<JsonText>;
  initial_prompt: string | null;
  lifecycle: Generated<string>;
  lines: Generated<JsonText>;
  metadata: Generated<JsonText>;
  model: string | null;
  models: Generated<JsonText>;
  next_try_at_ms: Generated<number>;
  parse_error: string | null;
  parse_status: Generated<string>;
  parsed_version: Generated<number>;
  parser_version: Generated<number>;
  price_book: Generated<string>;
  price_rates: Generated<string>;
  remote_env_id: string | null;
  revision: Generated<number>;
  rows_version: Generated<number>;
  service_tiers: Generated<JsonText>;
  sibling_title: string | null;
  source: string | null;
  speeds: Generated<JsonText>;
  started_at: string;
  subagent_count: number | null;
  summary: string | null;
  summary_kind: string | null;
  tags: Generated<JsonText>;
  team_name: string | null;
  thinking_blocks: number | null;
  title: string | null;
  tokens_in: number | null;
  tokens_out: number | null;
  tool_use_count: number | null;
  total_messages: number | null;
  tried_parser_version: Generated<number>;
  unknown_models: Generated<JsonText>;
  updated_at: string;
  user_messages: number | null;
  web_fetches: number | null;
  web_searches: number | null;
  work_kind: string | null;
  workspace_id: string;
}

export interface SharePartsTable {
  position: number;
  sha256: string;
  share_id: string;
}

export interface SharesTable {
  created_at: string;
  expires_at: string;
  id: string;
  note: string | null;
  redacted: Generated<JsonText>;
  session_id: string;
  size_bytes: Generated<number>;
  state: string;
  title: string;
  token_sha256: string;
}

export interface ShipmentsTable {
  attempts: Generated<number>;
  generation: number;
  next_try_ms: Generated<number>;
  refusal: string | null;
  remote_generation: number;
  server: string;
  shipped_bytes: Generated<number>;
  source_file_id: string;
  told_sha256: string | null;
  told_state: string | null;
  told_workspace_id: string | null;
  updated_at: string;
}

export interface ShippingTable {
  failures: Generated<number>;
  next_try_ms: Generated<number>;
  reason: string | null;
  refused_token_sha256: string | null;
  server: string;
  updated_at: string;
}

export interface SkillsTable {
  agent_id: string | null;
  args: string | null;
  message_id: string | null;
  name: string;
  position: number;
  revision: number;
  session_id: string;
  status: string;
  timestamp: string | null;
  tool_use_id: string | null;
  used_by: string;
}

export interface SourceFilesTable {
  agent_id: string | null;
  device_id: string;
  first_seen_at: string;
  generation: Generated<number>;
  id: string;
  kind: string;
  path: string;
  root: string;
  seen_inode: string;
  seen_mtime_ms: number;
  seen_size: number;
  session_id: string | null;
  state: string;
  updated_at: string;
}

export interface SubagentsTable {
  agent_id: string;
  agent_name: string | null;
  agent_type: string | null;
  cost_nanos: number | null;
  description: string | null;
  linked_by: string | null;
  model: string | null;
  parent_agent_id: string | null;
  position: number;
  reported: JsonText;
  revision: number;
  run_in_background: SqlBoolean;
  session_id: string;
  source: string;
  spawn_depth: number | null;
  spawning_tool_use_id: string | null;
  stats: JsonText;
  status: string | null;
  team_name: string | null;
  worktree_path: string | null;
}

export interface SummaryServicesTable {
  failures: number;
  notice: string;
  paused_until: string;
  service: string;
  why: string;
}

export interface SummarySpendTable {
  calls: number;
  day: string;
  nanos: number;
}

export interface TeammatesTable {
  agent_ids: JsonText;
  agent_type: string | null;
  color: string | null;
  entity_name: string;
  id: string;
  messages_received: number;
  messages_sent: Generated<number>;
  model: string | null;
  position: number;
  revision: number;
  session_id: string;
  team_name: string;
}

export interface TeamsTable {
  created_at: string | null;
  description: string | null;
  ended_at: string | null;
  lead_agent_id: string | null;
  position: number;
  revision: number;
  session_id: string;
  team_name: string;
}

export interface TodosTable {
  agent_id: string | null;
  description: string | null;
  id: string;
  list: Generated<string>;
  owner: string | null;
  position: number;
  revision: number;
  session_id: string;
  status: string;
  text: string;
}

export interface ToolCallsTable {
  agent_id: string | null;
  caller: string | null;
  denial: string | null;
  details: JsonText;
  duration_ms: number | null;
  duration_source: string | null;
  ended_at: string | null;
  exit_code: number | null;
  files: JsonText;
  id: string;
  is_inherited: Generated<SqlBoolean>;
  message_id: string | null;
  name: string | null;
  persisted_file: string | null;
  position: number;
  result_count: number;
  result_message_id: string | null;
  revision: number;
  session_id: string;
  spawned_agent_id: string | null;
  started_at: string | null;
  status: string;
  turn_id: string | null;
  waiting_ms: number | null;
}

export interface TouchedFilesTable {
  lines_added: number;
  lines_removed: number;
  path: string;
  position: number;
  reads: number;
  revision: number;
  session_id: string;
  writes: number;
}

export interface TranscriptMessagesTable {
  agent_id: string | null;
  api_message_id: string | null;
  cache_miss_reason: string | null;
  cache_missed_tokens: number | null;
  cache_read: number | null;
  cache_write: number | null;
  cache_write_1h: number | null;
  cc_version: string | null;
  compact_sequence: Generated<number>;
  copied_from: string | null;
  cost_nanos: number | null;
  cost_usd: GeneratedAlways<number | null>;
  counted: Generated<SqlBoolean>;
  entrypoint: string | null;
  git_branch: string | null;
  has_text: Generated<SqlBoolean>;
  has_thinking: Generated<SqlBoolean>;
  has_tool_result: Generated<SqlBoolean>;
  has_tool_use: Generated<SqlBoolean>;
  id: string;
  inference_geo: string | null;
  is_compacted: Generated<SqlBoolean>;
  is_inherited: Generated<SqlBoolean>;
  is_meta: Generated<SqlBoolean>;
  is_sidechain: Generated<SqlBoolean>;
  iterations: number | null;
  leaf_uuid: string | null;
  line_number: number;
  message_type: string;
  metadata: Generated<JsonText>;
  model: string | null;
  ordinal: number;
  origin: string;
  parent_message_id: string | null;
  parent_uuid: string | null;
  permission_mode: string | null;
  rate_id: string | null;
  raw_message: JsonText;
  request_id: string | null;
  revision: number;
  role: string;
  service_tier: string | null;
  session_id: string;
  speed: string | null;
  stop_reason: string | null;
  subtype: string | null;
  team_name: string | null;
  thinking_tokens: number | null;
  time_slot: Generated<number>;
  timestamp: string | null;
  tokens_in: number | null;
  tokens_out: number | null;
  turn_id: string | null;
  usage_key: string | null;
  user_type: string | null;
  uuid: string | null;
  web_fetches: number | null;
  web_searches: number | null;
}

export interface TurnsTable {
  agent_id: string | null;
  compact_sequence: number;
  cost_nanos: number | null;
  duration_ms: number | null;
  duration_source: string | null;
  id: string;
  is_branch: SqlBoolean;
  ordinal: number;
  origin: string;
  parent_turn_id: string | null;
  revision: number;
  session_id: string;
  stats: JsonText;
}

export interface UnknownShapesTable {
  cc_version: string;
  count: number;
  name: string;
  position: number;
  revision: number;
  session_id: string;
  what: string;
}

export interface UsageRollupsTable {
  cache_read: number;
  cache_write: number;
  cache_write_1h: number;
  cost_nanos: number;
  git_branch: string;
  is_subagent: SqlBoolean;
  messages: number;
  model: string;
  session_id: string;
  time_slot: number;
  tokens_in: number;
  tokens_out: number;
  unpriced_messages: number;
}

export interface WorkspaceDevicesTable {
  device_id: string;
  last_active_at: string;
  local_path: string | null;
  workspace_id: string;
}

export interface WorkspaceFoldersTable {
  device_id: string;
  fingerprint: string | null;
  is_repository: SqlBoolean;
  last_seen_at: string;
  path: string;
  path_key: string;
  root: string;
  workspace_id: string;
  worktree_name: string | null;
}

export interface WorkspacesTable {
  canonical_id: string;
  default_branch: string | null;
  display_name: string;
  first_seen_at: string;
  id: string;
  merged_into: string | null;
  metadata: Generated<JsonText>;
  updated_at: string;
}

export interface WorktreesTable {
  agent_id: string | null;
  branch: string | null;
  entered_at: string | null;
  left_at: string | null;
  left_by: string | null;
  name: string | null;
  original_branch: string | null;
  original_commit: string | null;
  original_cwd: string | null;
  path: string | null;
  position: number;
  revision: number;
  session_id: string;
}

export interface Database {
  adopted_usage: AdoptedUsageTable;
  api_errors: ApiErrorsTable;
  archived_usage: ArchivedUsageTable;
  blobs: BlobsTable;
  branch_points: BranchPointsTable;
  change_clock: ChangeClockTable;
  compactions: CompactionsTable;
  content_blocks: ContentBlocksTable;
  conversation_segments: ConversationSegmentsTable;
  device_tokens: DeviceTokensTable;
  devices: DevicesTable;
  document_files: DocumentFilesTable;
  documents: DocumentsTable;
  events: EventsTable;
  format_versions: FormatVersionsTable;
  generations: GenerationsTable;
  git_activity: GitActivityTable;
  git_calls: GitCallsTable;
  git_shipments: GitShipmentsTable;
  known_journals: KnownJournalsTable;
  leaf_titles: LeafTitlesTable;
  leases: LeasesTable;
  plans: PlansTable;
  price_books: PriceBooksTable;
  pull_requests: PullRequestsTable;
  questions: QuestionsTable;
  repository_looks: RepositoryLooksTable;
  search_documents: SearchDocumentsTable;
  segments: SegmentsTable;
  session_changes: SessionChangesTable;
  session_folders: SessionFoldersTable;
  session_lineage: SessionLineageTable;
  session_links: SessionLinksTable;
  session_notes: SessionNotesTable;
  session_pins: SessionPinsTable;
  session_steps: SessionStepsTable;
  session_summaries: SessionSummariesTable;
  session_tags: SessionTagsTable;
  session_workspaces: SessionWorkspacesTable;
  sessions: SessionsTable;
  share_parts: SharePartsTable;
  shares: SharesTable;
  shipments: ShipmentsTable;
  shipping: ShippingTable;
  skills: SkillsTable;
  source_files: SourceFilesTable;
  subagents: SubagentsTable;
  summary_services: SummaryServicesTable;
  summary_spend: SummarySpendTable;
  teammates: TeammatesTable;
  teams: TeamsTable;
  todos: TodosTable;
  tool_calls: ToolCallsTable;
  touched_files: TouchedFilesTable;
  transcript_messages: TranscriptMessagesTable;
  turns: TurnsTable;
  unknown_shapes: UnknownShapesTable;
  usage_rollups: UsageRollupsTable;
  workspace_devices: WorkspaceDevicesTable;
  workspace_folders: WorkspaceFoldersTable;
  workspaces: WorkspacesTable;
  worktrees: WorktreesTable;
}

import { z } from 'zod';
import {
  anything,
  bool,
  fields,
  kind,
  named,
  num,
  openFields,
  openKind,
  opt,
  opts,
  str,
  strs,
  variantsBy,
} from '../kit.ts';
import { chainFields } from '../message.ts';
import { CONTEXT_ATTACHMENTS, REMINDER_ATTACHMENTS } from './attachment-context.ts';

const hook = { hookName: opt(str), hookEvent: opt(str), toolUseID: opt(str) };
const run = { command: opt(str), durationMs: opt(num) };
const output = { stdout: opt(str), stderr: opt(str), exitCode: opt(num) };

/** Output of hooks, since 2.1.89 (before that: progress lines). */
const HOOK_ATTACHMENTS = {
  hook_success: kind('hook_success', 'A hook ran; its output.', { ...hook, ...run, ...output, content: opt(str) }),
  hook_additional_context: kind('hook_additional_context', 'Text that a hook adds to the context.', {
    ...hook,
    content: opt(z.union([str, z.array(str)])),
  }),
  hook_system_message: kind('hook_system_message', 'Message from a hook to the person.', {
    ...hook,
    content: opt(str),
  }),
  hook_non_blocking_error: kind('hook_non_blocking_error', 'A hook failed; the session continues.', {
    ...hook,
    ...run,
    ...output,
  }),
  hook_blocking_error: openKind('hook_blocking_error', 'A hook stopped the action.', {
    ...hook,
    blockingError: opt(anything),
  }),
  hook_error_during_execution: openKind('hook_error_during_execution', 'A hook could not be run.', hook),
  hook_stopped_continuation: openKind('hook_stopped_continuation', 'A hook ended the turn.', hook),
  hook_permission_decision: openKind('hook_permission_decision', 'A hook allowed or denied a tool call.', {
    ...hook,
    decision: opt(anything),
  }),
  hook_cancelled: kind('hook_cancelled', 'A hook was stopped, usually by its timeout.', {
    ...hook,
    ...run,
    timedOut: opt(bool),
    timeoutMs: opt(num),
  }),
  async_hook_response: openKind('async_hook_response', 'Late response from a hook that ran in the background.', {
    ...hook,
    ...output,
  }),
} satisfies Record<string, z.ZodType>;

const memory = fields({
  ...opts(str, 'path', 'type', 'content', 'rawContent', 'parent'),
  contentDiffersFromDisk: opt(bool),
  globs: opt(strs),
});

/** Files that the client showed to the model. */
const FILE_ATTACHMENTS = {
  file: kind('file', 'A file named with @ in the prompt.', {
    ...opts(str, 'filename', 'displayPath'),
    content: opt(anything),
    truncated: opt(bool),
    savedCopyFraming: opt(openFields({ enveloped: opt(bool) })),
  }),
  already_read_file: openKind('already_read_file', 'A file named with @ that the model has already seen.', {
    ...opts(str, 'filename', 'displayPath'),
    content: opt(anything),
  }),
  compact_file_reference: kind(
    'compact_file_reference',
    'A file read before a compaction; the path only.',
    opts(str, 'filename', 'displayPath'),
  ),
  directory: kind('directory', 'A directory named with @ in the prompt.', opts(str, 'path', 'displayPath', 'content')),
  edited_text_file: kind(
    'edited_text_file',
    'A file that was changed after the model read it.',
    opts(str, 'filename', 'displayPath', 'snippet'),
  ),
  nested_memory: kind('nested_memory', 'A rules file that applies to a file just read.', {
    ...opts(str, 'path', 'displayPath'),
    content: opt(memory),
  }),
  opened_file_in_ide: kind('opened_file_in_ide', 'The file open in the editor.', { filename: opt(str) }),
  selected_lines_in_ide: kind('selected_lines_in_ide', 'The lines selected in the editor.', {
    ...opts(str, 'ideName', 'filename', 'displayPath', 'content'),
    ...opts(num, 'lineStart', 'lineEnd'),
  }),
  inlined_image_paths: openKind('inlined_image_paths', 'Reported by others; in none of our files.', {}),
  read_truncation_notice: openKind('read_truncation_notice', 'A file was read only in part.', {}),
} satisfies Record<string, z.ZodType>;

const UNSEEN = 'Name found in the client’s program; in none of our files.';

/** Kinds that the client can write but that none of our files contain: any field is accepted. */
function unseenKinds<const T extends string>(...types: readonly T[]) {
  return Object.fromEntries(types.map((type) => [type, openKind(type, UNSEEN, {})])) as {
    readonly [K in T]: ReturnType<typeof openKind<K, {}>>;
  };
}

const NAMED_ONLY_ATTACHMENTS = unseenKinds(
  'account_memory_recall',
  'advisor_stripped',
  'advisor_tool',
  'agent_ask_notice',
  'agent_mention',
  'artifact_opening_prefetch',
  'async_hook_response_batch',
  'at_mention_reference',
  'attention_budget',
  'bash_output_audience_note',
  'batching_reminder',
  'budget_usd',
  'claude_app_notice',
  'context_efficiency',
  'context_sections',
  'coordinator_context',
  'cowork_memory_context',
  'critical_system_reminder',
  'dir_sync_notice',
  'dynamic_skill',
  'edited_image_file',
  'elapsed_time_reminder',
  'fork_briefing',
  'goals',
  'hook_deferred_tool',
  'hook_plugin_listing',
  'instruction_files_not_loaded',
  'linked_plugin_tools_note',
  'max_turns_reached',
  'mcp_dropped_tools_delta',
  'mcp_resource',
  'memory_update',
  'message_pdf_reads',
  'output_limit_note',
  'output_style_instructions',
  'output_token_usage',
  'pdf_reference',
  'peer_mention',
  'plugin_note',
  'poll_events',
  'prefix_delta',
  'proactivity',
  'project_doc_reads',
  'projects_thread_ask',
  'prompt_as_file',
  'prompt_render_point',
  'relevant_memories',
  'repl_mcp_needs_auth',
  'repl_mcp_servers',
  'sandbox_instructions',
  'secondary_reminder',
  'secondary_reminder_sent',
  'selected_lines_in_diff',
  'skill_mention',
  'team_context',
  'teammate_mailbox',
  'teammate_shutdown_batch',
  'thinking_stripped',
  'thread_state',
  'token_usage',
  'tool_host_result_lines',
  'tool_hosts_correction',
  'tool_hosts_notice',
  'tool_offer_record',
  'tool_results_cut',
  'tool_search_usage_reminder',
  'ultra_effort_exit',
  'ultrathink_effort',
  'unknown_command_fallback',
  'whole_texts_withdrawn',
  'widget_context_hint',
  'withheld_memory',
  'workflow_size_guideline_change',
) satisfies Record<string, z.ZodType>;

/** Kinds of `attachment` lines, by `attachment.type`. */
export const ATTACHMENT_SCHEMAS = {
  ...REMINDER_ATTACHMENTS,
  ...FILE_ATTACHMENTS,
  ...HOOK_ATTACHMENTS,
  ...CONTEXT_ATTACHMENTS,
  ...NAMED_ONLY_ATTACHMENTS,
};

export const AttachmentLineSchema = named(
  'attachment',
  'Context added before or after a turn, from 2.1.89. Part of the uuid chain.',
  fields({
    type: z.literal('attachment'),
    ...chainFields,
    attachment: variantsBy('type', ATTACHMENT_SCHEMAS),
    /** The text as the model saw it. */
    rendered: opt(z.array(anything)),
    renderedRole: opt(str),
    /** The text if it differs inside a person’s turn; only a flag in some versions. */
    renderedInHumanTurn: opt(z.union([bool, z.array(anything)])),
    renderedBesideToolResult: opt(bool),
  }),
);

import { z } from 'zod';
import { chainFields } from '../message.ts';
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
import { CONTEXT_ATTACHMENTS, REMINDER_ATTACHMENTS } from './attachment-context.ts';

const hook = { hookName: opt(str), hookEvent: opt(str), toolUseID: opt(str) };
const run = { command: opt(str), durationMs: opt(num) };
const output = { stdout: opt(str), stderr: opt(str), exitCode: opt(num) };

/** Output of hooks, since 2.1.89 (before that: progress lines). */
export const HOOK_ATTACHMENTS = {
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
export const FILE_ATTACHMENTS = {
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
  'advisor_tool',
  'bash_output_audience_note',
  'context_sections',
  'coordinator_context',
  'cowork_memory_context',
  'critical_system_reminder',
  'dir_sync_notice',
  'fork_briefing',
  'hook_deferred_tool',
  'max_turns_reached',
  'mcp_resource',
  'message_pdf_reads',
  'poll_events',
  'prefix_delta',
  'project_doc_reads',
  'thinking_stripped',
  'thread_state',
  'tool_host_result_lines',
  'tool_results_cut',
  'widget_context_hint',
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

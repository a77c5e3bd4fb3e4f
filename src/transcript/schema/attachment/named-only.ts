import type { z } from 'zod';
import { openKind } from './kind.ts';

const UNSEEN = 'Named in the client’s program; not seen by us.';

/** Kinds the client can write and none of our files holds: read, kept, and open to any field. */
export const NAMED_ONLY_ATTACHMENTS = {
  advisor_tool: openKind('advisor_tool', UNSEEN, {}),
  bash_output_audience_note: openKind('bash_output_audience_note', UNSEEN, {}),
  context_sections: openKind('context_sections', UNSEEN, {}),
  coordinator_context: openKind('coordinator_context', UNSEEN, {}),
  cowork_memory_context: openKind('cowork_memory_context', UNSEEN, {}),
  critical_system_reminder: openKind('critical_system_reminder', UNSEEN, {}),
  dir_sync_notice: openKind('dir_sync_notice', UNSEEN, {}),
  fork_briefing: openKind('fork_briefing', UNSEEN, {}),
  hook_deferred_tool: openKind('hook_deferred_tool', UNSEEN, {}),
  max_turns_reached: openKind('max_turns_reached', UNSEEN, {}),
  mcp_resource: openKind('mcp_resource', UNSEEN, {}),
  message_pdf_reads: openKind('message_pdf_reads', UNSEEN, {}),
  poll_events: openKind('poll_events', UNSEEN, {}),
  prefix_delta: openKind('prefix_delta', UNSEEN, {}),
  project_doc_reads: openKind('project_doc_reads', UNSEEN, {}),
  thinking_stripped: openKind('thinking_stripped', UNSEEN, {}),
  thread_state: openKind('thread_state', UNSEEN, {}),
  tool_host_result_lines: openKind('tool_host_result_lines', UNSEEN, {}),
  tool_results_cut: openKind('tool_results_cut', UNSEEN, {}),
  widget_context_hint: openKind('widget_context_hint', UNSEEN, {}),
} satisfies Record<string, z.ZodType>;

import { z } from 'zod';
import { contentSchema } from '../block.ts';
import { anything, bool, fields, kind, num, openFields, openKind, opt, opts, str, strs, word } from '../kit.ts';
import { promptOrigin } from '../message.ts';
import { task, todoItem } from '../tool-result/agent.ts';

/** Prompts that arrived during a turn, and reminders from the client to the model. */
export const REMINDER_ATTACHMENTS = {
  queued_command: kind('queued_command', 'A prompt, notification or message that arrived during a turn.', {
    prompt: opt(contentSchema),
    commandMode: opt(word('prompt', 'task-notification')),
    humanTurn: opt(bool),
    origin: opt(promptOrigin),
    ...opts(str, 'source_uuid', 'timestamp'),
    imagePasteIds: opt(z.array(num)),
    isMeta: opt(bool),
    usage: opt(anything),
    ...opts(str, 'deliveryId', 'delivery_id'),
    /** The workflow run the notification refers to. */
    runId: opt(str),
  }),
  task_reminder: kind('task_reminder', 'The task list, shown again to the model.', {
    content: opt(z.array(task)),
    itemCount: opt(num),
  }),
  todo_reminder: kind('todo_reminder', 'The to-do list, shown again to the model.', {
    content: opt(z.array(todoItem)),
    itemCount: opt(num),
  }),
  task_status: openKind('task_status', 'State of a background task. Reported by others; in none of our files.', {}),
  total_tokens_reminder: kind('total_tokens_reminder', 'Number of tokens that the session may still use.', {
    text: opt(str),
  }),
  silent_turn_reminder: openKind('silent_turn_reminder', 'The person has received no message for a while.', {
    text: opt(str),
  }),
  batching_reminder_sent: openKind('batching_reminder_sent', 'Reported by others; in none of our files.', {}),
} satisfies Record<string, z.ZodType>;

/** Information for the model about its environment and tools. */
export const CONTEXT_ATTACHMENTS = {
  environment: openKind('environment', 'Directory, platform, shell, operating system.', {}),
  model: openKind('model', 'The model in use.', {}),
  date: openKind('date', 'Today’s date.', { date: opt(str) }),
  date_change: kind('date_change', 'The date changed during the session.', { newDate: opt(str) }),
  session_context: openKind('session_context', 'Account and git state at the start.', {}),
  credential_org: openKind('credential_org', 'Reported by others; in none of our files.', {}),
  remote_session_change: openKind('remote_session_change', 'URLs for commit and pull request texts.', {}),
  instructions: openKind('instructions', 'Texts of the CLAUDE.md files.', { files: opt(anything) }),
  prompt_snapshot: openKind('prompt_snapshot', 'System prompt and tools, in full; the same in many sessions.', {}),
  output_style: openKind('output_style', 'Reported by others; in none of our files.', {}),
  companion_intro: openKind('companion_intro', 'Reported by others; in none of our files.', {}),
  thinking_drop: openKind(
    'thinking_drop',
    'Reasoning blocks omitted from the request. Reported by others; in none of our files.',
    {},
  ),
  deferred_tools_delta: kind('deferred_tools_delta', 'Tools that can be loaded on demand: added and removed.', {
    ...opts(strs, 'addedNames', 'addedLines', 'removedNames', 'readdedNames', 'pendingMcpServers'),
    ...opts(strs, 'needsAuthMcpServers', 'failedMcpServers', 'surfacedNames', 'wireHiddenNames'),
  }),
  deferred_tools_record: openKind('deferred_tools_record', 'Full schemas of the loaded tools.', {}),
  agent_listing_delta: kind('agent_listing_delta', 'Agent types: added and removed.', {
    ...opts(strs, 'addedTypes', 'addedLines', 'removedTypes', 'builtInTypes', 'builtInPluginTypes'),
    ...opts(bool, 'isInitial', 'showConcurrencyNote'),
  }),
  mcp_instructions_delta: kind(
    'mcp_instructions_delta',
    'Instructions of MCP servers: added and removed.',
    opts(strs, 'addedNames', 'addedBlocks', 'removedNames'),
  ),
  skill_listing: kind('skill_listing', 'Skills available to the model.', {
    content: opt(str),
    ...opts(strs, 'names', 'digests'),
    skillCount: opt(num),
    isInitial: opt(bool),
  }),
  invoked_skills: openKind('invoked_skills', 'Skills used before a compaction.', {}),
  command_permissions: kind('command_permissions', 'Tools a slash command may use without asking.', {
    allowedTools: opt(strs),
    model: opt(str),
  }),
  auto_mode: openKind('auto_mode', 'Automatic permission mode is on.', {
    reminderType: opt(word('full')),
    autoModeConsentFlow: opt(bool),
  }),
  auto_mode_exit: openKind('auto_mode_exit', 'Automatic permission mode is off again.', {}),
  plan_mode: kind('plan_mode', 'Plan mode is on.', {
    reminderType: opt(word('full')),
    ...opts(bool, 'isSubAgent', 'planExists'),
    planFilePath: opt(str),
  }),
  plan_mode_exit: kind('plan_mode_exit', 'Plan mode is off again.', { planFilePath: opt(str), planExists: opt(bool) }),
  plan_mode_reentry: kind('plan_mode_reentry', 'Plan mode is on again; the plan exists.', { planFilePath: opt(str) }),
  plan_file_reference: openKind(
    'plan_file_reference',
    'The plan, repeated after a compaction.',
    opts(str, 'planFilePath', 'planContent'),
  ),
  ultra_effort_enter: kind('ultra_effort_enter', 'Highest effort is on.', { reminderType: opt(word('full')) }),
  workflow_keyword_request: openKind('workflow_keyword_request', 'The prompt asks for a workflow.', {}),
  goal_status: kind('goal_status', 'Whether the goal of the session is met.', {
    ...opts(bool, 'met', 'sentinel'),
    ...opts(str, 'condition', 'reason'),
    ...opts(num, 'iterations', 'durationMs', 'tokens'),
  }),
  session_cron_carry: kind(
    'session_cron_carry',
    'Scheduled prompts of the session, carried through a compaction or resume.',
    {
      tasks: opt(
        z.array(
          openFields({ id: opt(str), cron: opt(str), prompt: opt(str), createdAt: opt(num), recurring: opt(bool) }),
        ),
      ),
    },
  ),
  structured_output: openKind('structured_output', 'The answer in the format requested by the caller.', {
    data: opt(anything),
  }),
  diagnostics: kind('diagnostics', 'Errors and warnings from the editor’s language servers.', {
    files: opt(
      z.array(
        fields({
          uri: opt(str),
          diagnostics: opt(
            z.array(
              fields({
                ...opts(str, 'message', 'severity', 'source'),
                range: opt(anything),
                code: opt(z.union([str, num])),
              }),
            ),
          ),
        }),
      ),
    ),
    isNew: opt(bool),
  }),
} satisfies Record<string, z.ZodType>;

import { z } from 'zod';
import { anything, bool, num, opt, str } from '../kit.ts';
import { kind, openKind } from './kind.ts';

const hook = { hookName: opt(str), hookEvent: opt(str), toolUseID: opt(str) };
const run = { command: opt(str), durationMs: opt(num) };
const output = { stdout: opt(str), stderr: opt(str), exitCode: opt(num) };

/** What hooks said, from 2.1.89 (before that: progress lines). */
export const HOOK_ATTACHMENTS = {
  hook_success: kind('hook_success', 'A hook ran; its output.', { ...hook, ...run, ...output, content: opt(str) }),
  hook_additional_context: kind('hook_additional_context', 'Text a hook adds to the context.', {
    ...hook,
    content: opt(z.union([str, z.array(str)])),
  }),
  hook_system_message: kind('hook_system_message', 'Message of a hook to the person.', { ...hook, content: opt(str) }),
  hook_non_blocking_error: kind('hook_non_blocking_error', 'A hook failed; the session goes on.', {
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
  hook_cancelled: kind('hook_cancelled', 'A hook was stopped, mostly at its time limit.', {
    ...hook,
    ...run,
    timedOut: opt(bool),
    timeoutMs: opt(num),
  }),
  async_hook_response: openKind('async_hook_response', 'Late answer of a hook that ran in the background.', {
    ...hook,
    ...output,
  }),
} satisfies Record<string, z.ZodType>;

import { z } from 'zod';
import { contentSchema } from '../block.ts';
import { promptOrigin } from '../envelope.ts';
import { anything, bool, fields, num, opt, str, strs, word } from '../kit.ts';
import { todoItem } from '../tool-result/task.ts';
import { kind, openKind } from './kind.ts';

const task = fields({
  id: opt(str),
  subject: opt(str),
  description: opt(str),
  activeForm: opt(str),
  owner: opt(str),
  status: opt(str),
  blocks: opt(strs),
  blockedBy: opt(strs),
  metadata: opt(anything),
});

/** Prompts that came while a turn ran, and reminders of the client to the model. */
export const REMINDER_ATTACHMENTS = {
  queued_command: kind('queued_command', 'A prompt, notification or message that came while a turn ran.', {
    prompt: opt(contentSchema),
    commandMode: opt(word('prompt', 'task-notification')),
    humanTurn: opt(bool),
    origin: opt(promptOrigin),
    source_uuid: opt(str),
    timestamp: opt(str),
    imagePasteIds: opt(z.array(num)),
    isMeta: opt(bool),
    usage: opt(anything),
    deliveryId: opt(str),
    delivery_id: opt(str),
    /** Workflow run that the notification is about. */
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
  task_status: openKind('task_status', 'State of a background task. Reported, not seen by us.', {}),
  total_tokens_reminder: kind('total_tokens_reminder', 'How many tokens the session may still use.', {
    text: opt(str),
  }),
  silent_turn_reminder: openKind('silent_turn_reminder', 'The person has heard nothing for a while.', {
    text: opt(str),
  }),
  batching_reminder_sent: openKind('batching_reminder_sent', 'Reported, not seen by us.', {}),
  bash_output_audience_note: openKind('bash_output_audience_note', 'Reported, not seen by us.', {}),
} satisfies Record<string, z.ZodType>;

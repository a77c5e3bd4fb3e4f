import { z } from 'zod';
import { commandEndpoint, queryEndpoint, shape } from './endpoint.ts';
import { count, MAX_ID_CHARS, plainText, text, textOrNull, texts } from './values.ts';

const deletionPreview = shape(
  'DeletionPreview',
  z.strictObject({
    session_id: text,
    title: textOrNull,
    device_id: text,
    is_live: z.boolean(),
    messages: count,
    files: count.meta({ description: 'Archived files: transcript, sub-agents, tool results, to-do lists.' }),
    files_beside: count.meta({ description: 'Plans and team files that no other session uses.' }),
    size_bytes: count,
    shared_bytes: count.meta({ description: 'Bytes that stay because other sessions consist of them too.' }),
    documents: count,
    notes: count,
    events: count,
    shares: count,
    shipped_files: count.meta({ description: 'Files that were sent to a server.' }),
    forks: texts.meta({ description: 'Sessions that began as a copy of this one; they stay.' }),
    claude_files: texts.meta({ description: 'Files in the Claude home of this machine; they stay unless asked for.' }),
  }),
);
export type DeletionPreview = z.infer<typeof deletionPreview>;

const deletedSession = shape(
  'DeletedSession',
  z.strictObject({
    session_id: text,
    deleted_at: text,
    purge_at: text.meta({ description: 'Until then the deletion can be undone.' }),
    purged_at: textOrNull,
    state: z.enum(['waiting', 'restoring', 'removed']),
  }),
);
export type DeletedSession = z.infer<typeof deletedSession>;

const deletionAnswer = shape(
  'DeletionAnswer',
  z.strictObject({
    results: z
      .array(
        z.strictObject({
          session_id: text,
          purge_at: textOrNull,
          is_deleted: z.boolean(),
          error: z.strictObject({ code: text, message: text }).nullable(),
        }),
      )
      .readonly(),
    is_removed: z.boolean().meta({ description: 'The bytes are gone; false while they wait or an import is running.' }),
  }),
);
export type DeletionAnswer = z.infer<typeof deletionAnswer>;

const MAX_DELETED_AT_ONCE = 500;

/** Deletes sessions, and undoes that. */
export const deletionEndpoints = {
  'GET /sessions/:id/deletion': queryEndpoint({
    isInDemo: false,
    about: 'What deleting a session would remove. Nothing is changed.',
    answer: deletionPreview,
  }),
  'GET /deletions': queryEndpoint({
    isInDemo: false,
    about: 'Deleted sessions, newest first; ids and times only.',
    answer: z.strictObject({ deletions: z.array(deletedSession).readonly() }),
  }),
  'POST /deletions': commandEndpoint({
    isOwnersOnly: true,
    about:
      'Deletes sessions: they are hidden immediately, and their bytes are removed after the grace period. A failure does not affect the others.',
    body: z.strictObject({
      session_ids: z.array(plainText(MAX_ID_CHARS)).min(1).max(MAX_DELETED_AT_ONCE),
      now: z.boolean().default(false).meta({ description: 'Remove the bytes at once; there is no undo.' }),
      transcript: z
        .boolean()
        .default(false)
        .meta({ description: 'Also remove the files of the sessions from the Claude home of this machine.' }),
    }),
    answer: deletionAnswer,
  }),
  'DELETE /deletions/:session_id': commandEndpoint({
    isOwnersOnly: true,
    about: 'Undoes a deletion while the bytes of the session are still there.',
    answer: z.strictObject({ session_id: text }),
  }),
};

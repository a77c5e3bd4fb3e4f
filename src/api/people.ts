import { z } from 'zod';
import { deviceDetail, workspaceDetail } from './answers/around.ts';
import { done } from './answers/server.ts';
import { sessionDetail } from './answers/session.ts';
import { commandEndpoint } from './endpoint.ts';
import { MAX_ID_CHARS } from './limits.ts';
import { plainText } from './values.ts';

const MAX_TAGS_GIVEN = 100;
const MAX_TEXT_CHARS = 100_000;
const MAX_SUMMARY_CHARS = 10_000;

const MAX_NAME_CHARS = 1_000;
const MAX_TAG_CHARS = 200;
const tags = z.array(z.string().max(MAX_TAG_CHARS)).max(MAX_TAGS_GIVEN);
const place = plainText(MAX_ID_CHARS);
const note = z.strictObject({ text: z.string().max(MAX_TEXT_CHARS) });

/** Changes that people make to sessions: tags, pins, summaries, workspaces and notes. */
export const peopleEndpoints = {
  'PATCH /sessions/:id': commandEndpoint({
    about: 'Changes tags, pin, summary or workspace of a session and returns the session.',
    body: z
      .strictObject({
        tags: tags.optional(),
        add_tags: tags.optional(),
        remove_tags: tags.optional(),
        is_pinned: z.boolean().optional(),
        summary: z.string().max(MAX_SUMMARY_CHARS).nullable().optional(),
        workspace_id: place.optional(),
      })
      .refine((given) => Object.keys(given).length > 0, 'must contain a change')
      .refine(
        ({ tags: all, add_tags: some, remove_tags: less }) =>
          [all, some, less].filter((each) => each !== undefined).length <= 1,
        'must contain only one of tags, add_tags and remove_tags',
      ),
    answer: sessionDetail,
  }),
  'POST /sessions/:id/notes': commandEndpoint({
    about: 'Adds a note to a session and returns the session with its notes.',
    body: note,
    answer: sessionDetail,
  }),
  'PATCH /notes/:note_id': commandEndpoint({ about: 'Replaces the text of a note.', body: note, answer: done }),
  'DELETE /notes/:note_id': commandEndpoint({ about: 'Removes a note.', answer: done }),
  'PATCH /workspaces/:workspace_id': commandEndpoint({
    about: 'Renames a workspace, or merges it permanently into another one; returns the resulting workspace.',
    body: z
      .strictObject({ display_name: z.string().max(MAX_NAME_CHARS).optional(), merge_into: place.optional() })
      .refine((given) => Object.keys(given).length === 1, 'must contain only one of display_name and merge_into'),
    answer: workspaceDetail,
  }),
  'PATCH /devices/:device_id': commandEndpoint({
    about: "Renames a device, or merges it permanently into another one; requires the server's own token.",
    needsServerToken: true,
    body: z
      .strictObject({ name: z.string().max(MAX_NAME_CHARS).optional(), merge_into: place.optional() })
      .refine((given) => Object.keys(given).length === 1, 'must contain only one of name and merge_into'),
    answer: deviceDetail,
  }),
  'POST /sessions/:id/reparse': commandEndpoint({
    about: 'Queues a session to be parsed again from the archive. The previous data is served until then.',
    answer: done,
  }),
  'POST /sessions/:id/restore': commandEndpoint({
    about: 'Queues the rows of an archived session to be restored.',
    answer: done,
  }),
  'POST /sessions/:id/archive': commandEndpoint({
    about: 'Removes the rows of a session after verifying that they can be restored from the archive.',
    answer: z.strictObject({ outcome: z.enum(['archived', 'not_now']) }),
  }),
};

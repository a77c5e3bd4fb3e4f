import { z } from 'zod';
import { EXPORT_SCHEMA_VERSION } from '../domain/requests.ts';
import { subagent } from './agents.ts';
import { sessionDetail } from './sessions.ts';
import { branch, compaction } from './structure.ts';
import { messageRow } from './transcript.ts';
import { count, text } from './values.ts';

/** A session exported as JSON; docs/export-schema.json is generated from it. */
export const exportedSession = z.strictObject({
  schema: z.literal('fuel-code/session-export'),
  schema_version: z
    .literal(EXPORT_SCHEMA_VERSION)
    .describe('Rises when a field is removed or changes its meaning. Fields may be added at any time.'),
  is_redacted: z.boolean().describe('False if it was exported with `--raw`.'),
  is_whole: z.boolean().describe('False if only some turns were exported.'),
  session: sessionDetail
    .omit({ notes: true, tags: true, device_id: true, device_name: true, files: true })
    .describe('As in `GET /api/sessions/:id`, without notes, tags, files and the device.'),
  turns: z
    .array(
      z.strictObject({
        number: count.describe('Counted from 1, as on the page and in `--turns`.'),
        message_id: text.describe('The prompt.'),
        ordinal: count.describe('Position of the prompt; the turn ends before the next one.'),
      }),
    )
    .readonly()
    .describe('All turns of the main conversation.'),
  subagents: z.array(subagent).readonly(),
  compactions: z.array(compaction).readonly(),
  branches: z.array(branch).readonly().describe('Points where the conversation was rewound.'),
  messages: z
    .array(messageRow)
    .readonly()
    .describe('In order; of some turns, those of the sub-agents that they started come last.'),
});
export type ExportedSession = z.infer<typeof exportedSession>;

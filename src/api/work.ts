import { z } from 'zod';
import { TOOL_STATUSES } from '../domain/transcript-structure.ts';
import { queryEndpoint, shape } from './endpoint.ts';
import { sessionFilters } from './sessions.ts';
import { callFacts } from './transcript.ts';
import {
  choices,
  count,
  countOrNull,
  cursor,
  jsonValue,
  limit,
  MAX_ID_CHARS,
  plainText,
  text,
  textOrNull,
  texts,
  zone,
} from './values.ts';

const MAX_CALLS = 200;
const DEFAULT_CALLS = 50;
const MAX_CHANGES = 100;
const DEFAULT_CHANGES = 20;
const MAX_PATH_CHARS = 4_096;

const session = { session_id: text, session_title: textOrNull, workspace_name: text, cwd: textOrNull };

const workCall = shape(
  'WorkCall',
  z.strictObject({
    ...session,
    id: text,
    name: textOrNull,
    status: z.enum(TOOL_STATUSES),
    denial: textOrNull,
    exit_code: countOrNull,
    duration_ms: countOrNull,
    started_at: textOrNull,
    ordinal: countOrNull.meta({ description: 'Position of the message with the call in its session.' }),
    block: countOrNull.meta({ description: '`block_order` of the call in that message.' }),
    input: jsonValue.meta({ description: 'The arguments; null if they are longer than 100,000 characters.' }),
  }),
);
export type WorkCall = z.infer<typeof workCall>;

const fileChange = shape(
  'FileChange',
  workCall.extend({
    path: text,
    action: z.enum(['read', 'create', 'edit']),
    lines_added: count,
    lines_removed: count,
    patch: callFacts.shape.patch,
    prompt: textOrNull.meta({ description: 'The beginning of the prompt that the call belongs to.' }),
    prompt_ordinal: countOrNull,
  }),
);
export type FileChange = z.infer<typeof fileChange>;

const toolDays = shape(
  'ToolDays',
  z.strictObject({
    days: texts,
    tools: z.array(z.strictObject({ name: text, calls: z.array(count).readonly() })).readonly(),
  }),
);
export type ToolDays = z.infer<typeof toolDays>;

/** What tools did, across sessions: single calls, and the history of a file. */
export const workEndpoints = {
  'GET /tools/days': queryEndpoint({
    about: 'Calls of each tool by the day their session started, for the last 30 days with sessions that match.',
    query: z.strictObject({
      ...sessionFilters,
      zone: zone.default('UTC').meta({ description: 'Time zone of dates and days (default UTC).' }),
    }),
    answer: toolDays,
  }),
  'GET /tool-calls': queryEndpoint({
    about: 'Calls of all sessions with their arguments, newest session first.',
    query: z.strictObject({
      limit: limit(MAX_CALLS, DEFAULT_CALLS),
      cursor,
      name: plainText(MAX_ID_CHARS).optional().meta({ description: 'Only calls of this tool.' }),
      status: choices(TOOL_STATUSES).optional(),
      ...sessionFilters,
    }),
    answer: z.strictObject({ calls: z.array(workCall).readonly(), next_cursor: textOrNull }),
  }),
  'GET /files/changes': queryEndpoint({
    about: 'Changes of one file in all sessions, newest session first, each with the prompt that asked for it.',
    query: z.strictObject({
      path: plainText(MAX_PATH_CHARS).meta({ description: 'The whole path, as `GET /files` returns it.' }),
      limit: limit(MAX_CHANGES, DEFAULT_CHANGES),
      cursor,
    }),
    answer: z.strictObject({ changes: z.array(fileChange).readonly(), next_cursor: textOrNull }),
  }),
};

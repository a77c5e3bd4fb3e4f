import { z } from 'zod';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../domain/requests.ts';
import { gitActivity } from './activity.ts';
import { type CheckedQuery, queryEndpoint, shape } from './endpoint.ts';
import { sessionFilters } from './sessions.ts';
import { count, cursor, inWorkspace, limit, MAX_QUERY_CHARS, plainText, text, textOrNull, times } from './values.ts';

/** What one session did to one file. */
const fileTouched = shape(
  'FileTouched',
  z.strictObject({
    path: text,
    session_id: text,
    session_title: textOrNull,
    workspace_name: text,
    started_at: text,
    reads: count,
    writes: count,
    lines_added: count,
    lines_removed: count,
  }),
);

const fileHistory = shape(
  'FileHistory',
  z.strictObject({ touches: z.array(fileTouched).readonly(), next_cursor: textOrNull }),
);
export type FileHistory = z.infer<typeof fileHistory>;

const commitPage = shape(
  'CommitPage',
  z.strictObject({
    commits: z.array(gitActivity.extend({ workspace_name: text, session_title: textOrNull })).readonly(),
    next_cursor: textOrNull,
  }),
);
export type CommitPage = z.infer<typeof commitPage>;

/** What happened to files and repositories over many sessions. */
export const historyEndpoints = {
  'GET /files/history': queryEndpoint({
    about: 'Sessions that read or wrote the files whose path contains a text, newest first, one row per file.',
    query: z.strictObject({
      path: plainText(MAX_QUERY_CHARS).meta({ description: 'Path contains this text.' }),
      limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS),
      cursor,
      ...sessionFilters,
    }),
    answer: fileHistory,
  }),
  'GET /commits': queryEndpoint({
    about: 'Commits, newest first, with the session they were made in, if any.',
    query: z.strictObject({
      limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS),
      cursor,
      workspace: inWorkspace,
      contains: plainText(MAX_QUERY_CHARS)
        .optional()
        .meta({ description: 'The hash starts with this, or the message contains it.' }),
      ...times,
    }),
    answer: commitPage,
  }),
};

export type CommitsQuery = CheckedQuery<(typeof historyEndpoints)['GET /commits']>;

import { z } from 'zod';
import { DEFAULT_WORK_ROWS, MAX_WORK_ROWS } from '../domain/page-rows.ts';
import { count, countOrNull, text } from './answers/json.ts';
import { type CheckedQuery, queryEndpoint, shape } from './endpoint.ts';
import { MAX_QUERY_CHARS } from './limits.ts';
import { sessionFilters } from './sessions.ts';
import { limit, plainText } from './values.ts';

/** Usage of a tool across sessions. */
const toolStats = shape(
  'ToolStats',
  z.strictObject({
    name: text,
    calls: count,
    sessions: count,
    errors: count,
    denied: count,
    total_ms: countOrNull,
    longest_ms: countOrNull,
  }),
);

export type ToolStats = z.infer<typeof toolStats>;

/** Operations on a file across sessions. */
const fileStats = shape(
  'FileStats',
  z.strictObject({
    path: text,
    sessions: count,
    reads: count,
    writes: count,
    lines_added: count,
    lines_removed: count,
    last_at: text,
  }),
);

export type FileStats = z.infer<typeof fileStats>;

const toolStatsList = z.strictObject({ tools: z.array(toolStats).readonly() });
const fileStatsList = z.strictObject({ files: z.array(fileStats).readonly() });

const query = { limit: limit(MAX_WORK_ROWS, DEFAULT_WORK_ROWS), ...sessionFilters };

/** Tools and files used in all sessions or in those that match. */
export const workEndpoints = {
  'GET /tools': queryEndpoint({
    about:
      'Tools by how often they were called, with failures and time. Filters apply to the sessions and are combined with AND.',
    query: z.strictObject(query),
    answer: toolStatsList,
  }),
  'GET /files': queryEndpoint({
    about:
      'Files that tools read and wrote, most written first. Filters apply to the sessions and are combined with AND.',
    query: z.strictObject({
      path: plainText(MAX_QUERY_CHARS).optional().meta({ description: 'Path contains this text.' }),
      ...query,
    }),
    answer: fileStatsList,
  }),
};

export type ToolsQuery = CheckedQuery<(typeof workEndpoints)['GET /tools']>;

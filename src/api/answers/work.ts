import { z } from 'zod';
import { shape } from '../endpoint.ts';
import { count, countOrNull, text } from './json.ts';

/** How a tool was used over sessions. */
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

/** What was done with a file over sessions. */
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

export const toolStatsList = z.strictObject({ tools: z.array(toolStats).readonly() });
export const fileStatsList = z.strictObject({ files: z.array(fileStats).readonly() });

import { z } from 'zod';
import type { FileStats, ToolStats } from '../../domain/query.ts';
import { shape } from '../endpoint.ts';
import { count, countOrNull, text } from './json.ts';

const toolStats: z.ZodType<ToolStats> = shape(
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

const fileStats: z.ZodType<FileStats> = shape(
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

export const toolStatsList = z.strictObject({ tools: z.array(toolStats).readonly() });
export const fileStatsList = z.strictObject({ files: z.array(fileStats).readonly() });

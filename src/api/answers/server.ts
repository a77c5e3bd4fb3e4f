import { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import { ERROR_CATALOGUE } from '../../domain/errors.ts';
import { shape } from '../endpoint.ts';
import { count, countOrNull, text, textOrNull } from './json.ts';

/** The shape of every error response. */
shape(
  'Error',
  z.strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(ERROR_CATALOGUE) as [ErrorCode, ...ErrorCode[]]),
      message: text,
      hint: textOrNull,
      position: countOrNull.meta({ description: 'For an invalid search: position of the error, from 0.' }),
    }),
  }),
);

/** Import progress, shown by the page and the progress bar. */
export const importProgress = shape(
  'ImportProgress',
  z.strictObject({
    phase: z.enum(['idle', 'scanning', 'importing', 'indexing', 'failed']),
    files_total: count,
    files_done: count,
    bytes_total: count,
    bytes_done: count,
    sessions_to_index: count,
    sessions_indexed: count,
    error: textOrNull,
  }),
);

export type ImportProgress = z.infer<typeof importProgress>;

const claudeHome = z.strictObject({
  path: text,
  /** Whether it has a projects folder now. */
  exists: z.boolean(),
  /** The path of another listed home that is the same folder. */
  same_as: textOrNull,
});
export type ClaudeHomeStatus = z.infer<typeof claudeHome>;

export const statusReport = shape(
  'Status',
  z.strictObject({
    version: text,
    mode: z.enum(['embedded', 'server']),
    is_demo: z.boolean(),
    claude_home: text,
    claude_home_exists: z.boolean(),
    /** Every Claude home whose sessions are archived, including the configured one. */
    claude_homes: z.array(claudeHome).readonly(),
    data_home: text,
    live: z.strictObject({ count, sessions: z.array(z.strictObject({ id: text, title: textOrNull })).readonly() }),
    today: z.strictObject({
      day: text,
      timezone: text.meta({ description: 'Time zone of the day: that of the responding machine.' }),
      messages: count,
      unpriced_messages: count,
      tokens_in: count,
      tokens_out: count,
      cache_read_tokens: count,
      cache_write_tokens: count,
      cost_nanos: count,
    }),
    sessions: count,
    messages: count,
    files: count,
    /** Bytes of transcripts stored, and the space they take on disk or in the bucket. */
    archived_bytes: count,
    stored_bytes: count,
    import: importProgress,
  }),
);

export type StatusReport = z.infer<typeof statusReport>;

export const health = z.strictObject({ status: z.literal('ok'), version: text, proof: text.optional() });
export const readiness = z.strictObject({ status: z.literal('ready') });
export const done = z.strictObject({ ok: z.literal(true) });

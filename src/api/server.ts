import { z } from 'zod';
import { DEVICE_TOKEN_ID } from '../domain/device.ts';
import { ERROR_CATALOG, type ErrorCode } from '../domain/errors.ts';
import { queryEndpoint, serverEndpoint, shape } from './endpoint.ts';
import { usageSums } from './usage.ts';
import { count, countOrNull, done, MAX_NONCE_CHARS, MIN_NONCE_CHARS, text, textOrNull } from './values.ts';

/** The shape of every error response. */
shape(
  'Error',
  z.strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(ERROR_CATALOG) as [ErrorCode, ...ErrorCode[]]),
      message: text,
      hint: textOrNull,
      position: countOrNull.meta({ description: 'For an invalid search: position of the error, from 0.' }),
    }),
  }),
);

/** Import progress, shown by the page and the progress bar. */
const importProgress = shape(
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

const statusReport = shape(
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
    today: usageSums.extend({
      day: text,
      timezone: text.meta({ description: 'Time zone of the day: that of the responding machine.' }),
    }),
    /** Usage since the first of the month, in the time zone of `today`. */
    this_month: usageSums.extend({ month: text }),
    newest_session_at: textOrNull.meta({ description: 'Start of the newest session with a prompt.' }),
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

const health = z.strictObject({ status: z.literal('ok'), version: text, proof: text.optional() });
const readiness = z.strictObject({ status: z.literal('ready') });

const passRate = z.number().nullable();

const driftReport = shape(
  'DriftReport',
  z.strictObject({
    records: count,
    known: count,
    pass_rate: passRate,
    versions: z
      .array(z.strictObject({ cc_version: text, records: count, known: count, pass_rate: passRate, sessions: count }))
      .readonly(),
    shapes: z.array(z.strictObject({ what: text, name: text, cc_version: text, count, sessions: count })).readonly(),
  }),
);
export type DriftAnswer = z.infer<typeof driftReport>;

const nonce = z
  .string()
  .regex(
    new RegExp(`^[0-9a-f]{${MIN_NONCE_CHARS},${MAX_NONCE_CHARS}}$`),
    `must be ${MIN_NONCE_CHARS} to ${MAX_NONCE_CHARS} hex digits`,
  );

const deviceToken = z.string().regex(DEVICE_TOKEN_ID, 'must be the middle part of a device token');

const rescueReport = shape(
  'RescueReport',
  z.strictObject({
    /** When the first session was stored; null without one. */
    first_import_at: textOrNull,
    /** Sessions with a prompt. */
    sessions: count,
    /** Those of this machine whose transcript Claude Code deletes within a week. */
    would_be_deleted: count,
  }),
);
export type RescueReport = z.infer<typeof rescueReport>;

/** The server itself, and what it knows of the transcripts it stores. */
export const serverEndpoints = {
  'GET /health': serverEndpoint({
    about:
      'Whether the server is up, its version and, if a nonce is given, proof that it knows the server or device token.',
    access: 'open',
    query: z.strictObject({
      nonce: nonce.optional().meta({ description: 'Random hex digits. The answer then has a `proof`.' }),
      device_token: deviceToken
        .optional()
        .meta({ description: 'Proves the token of this device instead of the server token.' }),
    }),
    answer: health,
  }),
  'GET /ready': serverEndpoint({
    about: 'Whether the database responds: 200 or 503.',
    access: 'open',
    answer: readiness,
  }),
  'GET /openapi.json': serverEndpoint({
    about: 'This API as an OpenAPI 3.1 document.',
    access: 'open',
    answer: z.record(z.string(), z.unknown()),
  }),
  'GET /metrics': serverEndpoint({
    about: 'Request and storage metrics in the Prometheus text format.',
    answer: 'text',
  }),
  'POST /demo': serverEndpoint({
    about: 'Loads the demo sessions into a separate data folder and enables /demo/api.',
    answer: done,
  }),
  'GET /status': queryEndpoint({
    about: 'What is stored and where, import progress, running sessions, and the usage of today and this month.',
    answer: statusReport,
  }),
  'GET /rescue': queryEndpoint({
    about: 'When sessions were first stored here, and how many of them Claude Code would delete within a week.',
    answer: rescueReport,
  }),
  'GET /drift': queryEndpoint({
    about:
      'Number of transcript records that this version fully supports, by Claude Code version, and the unknown ones.',
    answer: driftReport,
  }),
};

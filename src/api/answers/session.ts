import { z } from 'zod';
import { SUMMARY_KINDS, WORK_KINDS, type WorkKind } from '../../domain/summary.ts';
import { LIFECYCLES, PARSE_STATUSES } from '../../domain/session.ts';
import { shape } from '../endpoint.ts';
import { count, countOrNull, jsonObject, text, textOrNull, texts } from './json.ts';

const row = z.strictObject({
  id: text,
  workspace_id: text,
  workspace_name: text,
  device_id: text,
  device_name: text,
  lifecycle: z.enum(LIFECYCLES),
  parse_status: z.enum(PARSE_STATUSES),
  parse_error: textOrNull,
  started_at: text,
  ended_at: textOrNull,
  end_reason: textOrNull,
  title: textOrNull,
  initial_prompt: textOrNull,
  summary: textOrNull,
  /** The author of the summary: a person, a model, or our own narrator. */
  summary_kind: z.enum(SUMMARY_KINDS).nullable(),
  /** Null unless the evidence is clear. */
  work_kind: z.enum(Object.keys(WORK_KINDS) as WorkKind[]).nullable(),
  cwd: textOrNull,
  git_branch: textOrNull,
  model: textOrNull,
  models: texts,
  source: textOrNull,
  cc_version: textOrNull,
  /** Service tiers, speeds and regions its API messages were billed with, in order of first use. */
  service_tiers: texts,
  speeds: texts,
  inference_geos: texts,
  /** Web searches and fetches run by the API itself. */
  web_searches: countOrNull,
  web_fetches: countOrNull,
  total_messages: countOrNull,
  user_messages: countOrNull,
  assistant_messages: countOrNull,
  tool_use_count: countOrNull,
  thinking_blocks: countOrNull,
  subagent_count: countOrNull,
  tokens_in: countOrNull,
  tokens_out: countOrNull,
  cache_read_tokens: countOrNull,
  cache_write_tokens: countOrNull,
  /** Dollars; null when the price of a model it used is unknown. */
  cost_estimate_usd: z.number().nullable(),
  /** Models without a known price: their tokens are counted, but totals do not include their cost. */
  unknown_models: texts,
  duration_ms: countOrNull,
  tags: texts,
  metadata: jsonObject,
  remote_env_id: textOrNull,
  created_at: text,
  updated_at: text,
});

/** One row of the session list: the columns of the `sessions` table as JSON. */
export const sessionRow = shape('Session', row);
export type SessionRow = z.infer<typeof sessionRow>;

export const sessionPage = shape(
  'SessionPage',
  z.strictObject({
    sessions: z.array(sessionRow).readonly(),
    next_cursor: textOrNull,
    has_more: z.boolean(),
    hidden: count,
  }),
);
export type SessionPage = z.infer<typeof sessionPage>;

const file = shape(
  'SessionFile',
  z.strictObject({
    path: text,
    kind: text,
    agent_id: textOrNull,
    size_bytes: count,
    generations: count,
    sha256: textOrNull,
  }),
);

const teamPlace = z.strictObject({
  team_name: text,
  /** Its own name; `team-lead` or null for the lead. */
  agent_name: textOrNull,
  /** Null for the lead itself, and if the lead is unknown. */
  lead_session_id: textOrNull,
});
export type TeamPlace = z.infer<typeof teamPlace>;

/** A note that a person wrote about a session. */
const note = z.strictObject({ id: text, text, created_at: text, updated_at: text });
export type SessionNote = z.infer<typeof note>;

export const sessionDetail = shape(
  'SessionDetail',
  row.extend({
    /** Null outside of teams. */
    team: teamPlace.nullable(),
    is_pinned: z.boolean(),
    notes: z.array(note).readonly(),
    files: z.array(file).readonly(),
    lines: z.strictObject({ total: count, records: count, salvaged: count, skipped: count }),
    /** Number of irregularities of each kind found while parsing. */
    anomalies: z.record(z.string(), count),
  }),
);
export type SessionDetail = z.infer<typeof sessionDetail>;

export const batchStatus = shape(
  'BatchStatus',
  z.strictObject({
    statuses: z
      .array(
        z.strictObject({
          id: text,
          lifecycle: z.enum(LIFECYCLES),
          parse_status: z.enum(PARSE_STATUSES),
          parse_error: textOrNull,
        }),
      )
      .readonly(),
    not_found: texts,
  }),
);
export type BatchStatus = z.infer<typeof batchStatus>;

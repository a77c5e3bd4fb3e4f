import { z } from 'zod';
import type { BatchStatus, SessionDetail, SessionPage, SessionRow } from '../../domain/query.ts';
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
  summary_kind: z.enum(SUMMARY_KINDS).nullable(),
  work_kind: z.enum(Object.keys(WORK_KINDS) as WorkKind[]).nullable(),
  cwd: textOrNull,
  git_branch: textOrNull,
  model: textOrNull,
  models: texts,
  source: textOrNull,
  cc_version: textOrNull,
  service_tiers: texts,
  speeds: texts,
  inference_geos: texts,
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
  cost_estimate_usd: z.number().nullable(),
  unknown_models: texts,
  duration_ms: countOrNull,
  tags: texts,
  metadata: jsonObject,
  remote_env_id: textOrNull,
  created_at: text,
  updated_at: text,
});

export const sessionRow: z.ZodType<SessionRow> = shape('Session', row);

export const sessionPage: z.ZodType<SessionPage> = shape(
  'SessionPage',
  z.strictObject({
    sessions: z.array(sessionRow).readonly(),
    next_cursor: textOrNull,
    has_more: z.boolean(),
    hidden: count,
  }),
);

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

export const sessionDetail: z.ZodType<SessionDetail> = shape(
  'SessionDetail',
  row.extend({
    team: z.strictObject({ team_name: text, agent_name: textOrNull, lead_session_id: textOrNull }).nullable(),
    is_pinned: z.boolean(),
    notes: z.array(z.strictObject({ id: text, text, created_at: text, updated_at: text })).readonly(),
    files: z.array(file).readonly(),
    lines: z.strictObject({ total: count, records: count, salvaged: count, skipped: count }),
    anomalies: z.record(z.string(), count),
  }),
);

export const batchStatus: z.ZodType<BatchStatus> = shape(
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

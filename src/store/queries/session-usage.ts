import { sql } from 'kysely';
import type { Tx } from '../engine.ts';

/** Sums over API messages that this session counts. */
export interface UsageSums {
  readonly messages: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** Of the priced messages; null when none has a price. */
  readonly cost_nanos: number | null;
  readonly unpriced_messages: number;
}

export interface SessionUsage {
  readonly total: UsageSums;
  readonly models: readonly (UsageSums & { readonly model: string | null })[];
}

/** What a session used, by model, dearest first. Messages that another session counts are not counted again. */
export async function readSessionUsage(db: Tx, sessionId: string): Promise<SessionUsage> {
  const { rows } = await sql<UsageSums & { readonly model: string | null }>`
    SELECT m.model AS model,
      count(*) AS messages,
      CAST(coalesce(sum(m.tokens_in), 0) AS BIGINT) AS tokens_in,
      CAST(coalesce(sum(m.tokens_out), 0) AS BIGINT) AS tokens_out,
      CAST(coalesce(sum(m.cache_read), 0) AS BIGINT) AS cache_read_tokens,
      CAST(coalesce(sum(m.cache_write), 0) AS BIGINT) AS cache_write_tokens,
      CAST(sum(m.cost_nanos) AS BIGINT) AS cost_nanos,
      count(*) - count(m.cost_nanos) AS unpriced_messages
    FROM transcript_messages m JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
    WHERE m.session_id = ${sessionId} AND m.counted AND m.usage_key IS NOT NULL
    GROUP BY m.model ORDER BY coalesce(sum(m.cost_nanos), 0) DESC, m.model`.execute(db);
  return { total: rows.map(({ model: _model, ...sums }) => sums).reduce(add, NOTHING), models: rows };
}

const NOTHING: UsageSums = {
  messages: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_nanos: null,
  unpriced_messages: 0,
};

function add(a: UsageSums, b: UsageSums): UsageSums {
  return {
    messages: a.messages + b.messages,
    tokens_in: a.tokens_in + b.tokens_in,
    tokens_out: a.tokens_out + b.tokens_out,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    cost_nanos: a.cost_nanos === null ? b.cost_nanos : a.cost_nanos + (b.cost_nanos ?? 0),
    unpriced_messages: a.unpriced_messages + b.unpriced_messages,
  };
}

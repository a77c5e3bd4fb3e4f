import { type RawBuilder, sql } from 'kysely';
import { NOT_NEW_COMMITS } from '../../../domain/commits.ts';
import type { FieldValue } from '../../../domain/search.ts';
import type { HasValue, IsValue } from '../../../domain/session-fields.ts';
import { LAST_TEST_FAILED } from '../../../domain/summary.ts';
import { FAILED } from '../../../domain/transcript-structure.ts';
import type { Engine } from '../../engine.ts';
import { literally } from '../../sql.ts';
import { cleanText } from '../../text.ts';

/** Conditions on a session `s`, for lists and searches. */
type SessionFact = RawBuilder<boolean>;

/** Rows of its current revision in a table; `x` is such a row. */
export function hasPart(table: string, condition: SessionFact = sql`TRUE`): SessionFact {
  return sql`EXISTS (SELECT 1 FROM ${sql.table(table)} x WHERE x.session_id = s.id AND x.revision = s.revision
    AND ${condition})`;
}

export function hasOwn(table: string, condition: SessionFact = sql`TRUE`): SessionFact {
  return sql`EXISTS (SELECT 1 FROM ${sql.table(table)} x WHERE x.session_id = s.id AND ${condition})`;
}

/** A pull request that the client linked or a tool call created; the condition is about its number. */
export function hasPullRequest(condition: (number: RawBuilder<unknown>) => SessionFact): SessionFact {
  const created = sql<boolean>`x.kind = 'pr' AND ${condition(sql`CAST(x.data ->> 'number' AS BIGINT)`)}`;
  return sql`(${hasPart('pull_requests', condition(sql`x.number`))} OR ${hasOwn('git_calls', created)})`;
}

/** One of the commits `x` of a session, without reports of other devices; `isOwnCommit` in SQL. */
export const IS_OWN_COMMIT = sql<boolean>`x.relation = 'own' AND x.duplicate_of IS NULL
  AND ((x.type = 'commit' AND coalesce(x.data ->> 'how', '') NOT IN (${sql.join(NOT_NEW_COMMITS.map((how) => sql.lit(how)))}))
    OR (x.type = 'merge' AND x.linked_by = 'sha'))`;

const TOOL_ERROR = hasPart('call_sums', sql`x.status = ${sql.lit(FAILED)}`);
const API_ERROR = hasPart('api_errors');

export const SESSION_HAS: Readonly<Record<HasValue, SessionFact>> = {
  commit: hasOwn('git_activity', IS_OWN_COMMIT),
  pr: hasPullRequest(() => sql`TRUE`),
  error: sql`(${TOOL_ERROR} OR ${API_ERROR})`,
  api_error: API_ERROR,
  subagent: sql`s.subagent_count > 0`,
  team: hasPart('teams'),
  plan: hasPart('plans'),
  todo: hasPart('todos'),
  thinking: sql`s.thinking_blocks > 0`,
  compaction: hasPart('compactions'),
  rewind: hasPart('branch_points'),
  // Every session has a narrative; this matches summaries by a person or a model.
  summary: sql`s.summary_kind IN ('ai', 'human')`,
  // Matches the words that the narrative uses.
  failed_tests: hasOwn(
    'session_summaries',
    sql`x.kind = 'narrative' AND x.agent_id = ''
      AND CAST(x.sections AS TEXT) LIKE ${sql.lit(`%"${LAST_TEST_FAILED}"%`)}`,
  ),
  note: hasOwn('session_notes'),
  tag: hasOwn('session_tags'),
};

export const SESSION_IS: Readonly<Record<IsValue, SessionFact>> = {
  live: sql`s.lifecycle IN ('detected', 'capturing')`,
  ended: sql`s.lifecycle NOT IN ('detected', 'capturing')`,
  failed: sql`(s.lifecycle = 'failed' OR s.parse_status = 'failed')`,
  pinned: hasOwn('session_pins'),
  archived: sql`s.lifecycle = 'archived'`,
  unpriced: sql`s.unknown_models <> '[]'`,
};

/** Files with only titles of other sessions have a row for their bytes but are not sessions. */
export const IS_SESSION = sql<boolean>`s.content <> 'titles'`;

/** Sessions that are listed by default. */
export const IS_PROMPTED = sql<boolean>`s.content = 'prompted'`;

export const IS_UNPROMPTED = sql<boolean>`s.content = 'unprompted'`;

/** How columns match the text of a field. Case does not matter. */
export type Condition = RawBuilder<boolean>;
export type TextValue = Extract<FieldValue, { type: 'text' }>;

export function equals(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  return value.isPrefix ? begins(engine, column, value) : sql`${engine.lower(column)} = ${cleanText(value.text)}`;
}

/** Whether an item of a list matches. Lists are stored as JSON, whose punctuation must not match. */
export function hasItem(
  engine: Engine,
  list: RawBuilder<unknown>,
  matches: typeof equals,
  value: TextValue,
): Condition {
  return sql`EXISTS (SELECT 1 FROM ${engine.listItems(list)} WHERE ${matches(engine, sql`item.value`, value)})`;
}

export function begins(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  if (value.isExact === true) return equals(engine, column, value);
  return like(engine, column, `${literally(value.text)}%`);
}

export function contains(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  if (value.isExact === true) return equals(engine, column, value);
  return like(engine, column, `%${literally(value.text)}%`);
}

function like(engine: Engine, column: RawBuilder<unknown>, pattern: string): Condition {
  return sql`${engine.lower(column)} LIKE ${pattern} ESCAPE '\\'`;
}

import { type RawBuilder, sql } from 'kysely';
import type { SearchFieldName, SESSION_FLAGS, SESSION_POSSESSIONS } from '../../../domain/search-fields.ts';
import type { FieldNode, FieldValue } from '../../../domain/search.ts';
import { DENIALS } from '../../../domain/transcript-structure.ts';
import type { Engine } from '../../engine.ts';
import { cleanText } from '../../text.ts';
import { hasPart, SESSION_HAS, SESSION_IS } from '../sessions/session-facts.ts';

/** Conditions on a session `s` and a document `d`, one per field. */
export type Condition = RawBuilder<boolean>;

type TextValue = Extract<FieldValue, { type: 'text' }>;
type FieldCondition = (engine: Engine, value: FieldValue) => Condition;

/** For use in a query plan: PostgreSQL can estimate it. */
export function fieldCondition(engine: Engine, { field, value }: FieldNode): Condition {
  return sql`(${CONDITIONS[field](engine, value)})`;
}

/** The same as a boolean on both engines: unknown counts as false. */
export function fieldTruth(engine: Engine, node: FieldNode): Condition {
  return sql`coalesce(${fieldCondition(engine, node)}, FALSE)`;
}

const CONDITIONS: Readonly<Record<SearchFieldName, FieldCondition>> = {
  tool: text((engine, value) => call(is(engine, sql`c.name`, value))),
  exit: number((compare) => call(compare(sql`c.exit_code`))),
  error: text(errorCondition),
  type: text((_, { text: kind }) => sql`d.kind = ${kind}`),
  agent: text(
    (engine, value) => sql`EXISTS (SELECT 1 FROM transcript_messages m JOIN subagents a
      ON a.session_id = m.session_id AND a.revision = m.revision AND a.agent_id = m.agent_id
      WHERE m.session_id = d.session_id AND m.revision = s.revision AND m.id = d.message_id
      AND (${is(engine, sql`coalesce(a.agent_type, '')`, value)} OR ${is(engine, sql`coalesce(a.agent_name, '')`, value)}))`,
  ),
  file: text((engine, value) => hasPart('touched_files', contains(engine, sql`x.path`, value))),
  model: text((engine, value) => contains(engine, sql`CAST(s.models AS TEXT)`, value)),
  branch: text(
    (engine, value) => sql`${contains(engine, sql`s.git_branch`, value)} OR EXISTS (SELECT 1 FROM git_activity g
      WHERE g.session_id = s.id AND g.duplicate_of IS NULL AND ${contains(engine, sql`g.branch`, value)})`,
  ),
  workspace: text(
    (engine, value) => sql`s.workspace_id IN (SELECT w.id FROM workspaces w
      WHERE ${contains(engine, sql`w.display_name`, value)} OR ${contains(engine, sql`w.canonical_id`, value)})`,
  ),
  device: text(
    (engine, value) => sql`s.device_id IN (SELECT v.id FROM devices v
      WHERE ${contains(engine, sql`v.name`, value)} OR ${contains(engine, sql`v.hostname`, value)})`,
  ),
  session: text((engine, value) => begins(engine, sql`s.id`, value)),
  title: text((engine, value) => contains(engine, sql`s.title`, value)),
  tag: text(
    (engine, value) =>
      sql`EXISTS (SELECT 1 FROM session_tags t WHERE t.session_id = s.id AND ${is(engine, sql`t.tag`, value)})`,
  ),
  commit: text(
    (engine, value) => sql`EXISTS (SELECT 1 FROM git_activity g WHERE g.session_id = s.id AND g.type = 'commit'
      AND g.duplicate_of IS NULL AND (${begins(engine, sql`g.commit_sha`, value)} OR ${contains(engine, sql`g.message`, value)}))`,
  ),
  pr: number((compare) => hasPart('pull_requests', compare(sql`x.number`))),
  version: text((engine, value) => begins(engine, sql`s.cc_version`, value)),
  speed: text((engine, value) => listed(engine, sql`s.speeds`, value)),
  tier: text((engine, value) => listed(engine, sql`s.service_tiers`, value)),
  cost: number((compare) => compare(sql`s.cost_nanos`, NANOS_A_DOLLAR)),
  tokens: number((compare) =>
    compare(sql`(s.tokens_in + coalesce(s.tokens_out, 0) + coalesce(s.cache_read_tokens, 0)
      + coalesce(s.cache_write_tokens, 0))`),
  ),
  messages: number((compare) => compare(sql`s.total_messages`)),
  duration: number((compare) => compare(sql`s.duration_ms`)),
  kind: text((_, { text: kind }) => sql`s.work_kind = ${kind}`),
  before: startedAt,
  after: startedAt,
  is: text((_, { text: name }) => SESSION_IS[name as keyof typeof SESSION_FLAGS]),
  has: text((_, { text: name }) => POSSESSIONS[name as keyof typeof POSSESSIONS]),
};

const POSSESSIONS: Readonly<Record<keyof typeof SESSION_POSSESSIONS, Condition>> = {
  ...SESSION_HAS,
  error: sql`(${SESSION_HAS.toolError} OR ${SESSION_HAS.apiError})`,
  rewind: SESSION_HAS.branch,
};

const NANOS_A_DOLLAR = 1e9;

function errorCondition(engine: Engine, value: TextValue): Condition {
  if (value.text === 'tool') return call(sql`c.status = 'error'`);
  if (value.text === 'denied' || value.text === 'interrupted') return call(sql`c.status = ${value.text}`);
  const denial = DENIALS.find((name) => name === value.text);
  if (denial !== undefined) return call(sql`c.denial = ${denial}`);
  if (value.text === 'api') return apiError(sql`TRUE`);
  if (/^\d{1,9}$/.test(value.text)) return apiError(sql`e.status = ${Number(value.text)}`);
  return apiError(sql`(${contains(engine, sql`e.kind`, value)} OR ${contains(engine, sql`e.text`, value)})`);
}

/** Applies to the tool call whose input or output the document is. */
function call(condition: Condition): Condition {
  return sql`EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = d.session_id AND c.revision = s.revision
    AND c.id = d.call_id AND ${condition})`;
}

function apiError(condition: Condition): Condition {
  return sql`EXISTS (SELECT 1 FROM api_errors e WHERE e.session_id = d.session_id AND e.revision = s.revision
    AND e.message_id = d.message_id AND ${condition})`;
}

function text(condition: (engine: Engine, value: TextValue) => Condition): FieldCondition {
  return (engine, value) => {
    if (value.type !== 'text') throw new TypeError(`a text is needed, not a ${value.type}`);
    return condition(engine, value);
  };
}

type Compare = (column: RawBuilder<unknown>, factor?: number) => Condition;

function number(condition: (compare: Compare) => Condition): FieldCondition {
  return (_, value) => {
    if (value.type !== 'number') throw new TypeError(`a number is needed, not a ${value.type}`);
    const bound = (factor: number) => Math.min(Math.round(value.number * factor), Number.MAX_SAFE_INTEGER);
    return condition((column, factor = 1) => sql`${column} ${sql.raw(value.comparison)} ${bound(factor)}`);
  };
}

function startedAt(_: Engine, value: FieldValue): Condition {
  if (value.type !== 'time') throw new TypeError(`a time is needed, not a ${value.type}`);
  return sql`s.started_at ${sql.raw(value.comparison)} ${value.at}`;
}

function is(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  return value.isPrefix ? begins(engine, column, value) : sql`${engine.lower(column)} = ${cleanText(value.text)}`;
}

/** A name in a list: both engines store it as JSON, where every name is in quotes. */
function listed(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  const end = value.isPrefix ? '' : '"';
  return like(engine, sql`CAST(${column} AS TEXT)`, `%"${escapeLike(value.text)}${end}%`);
}

function begins(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  return like(engine, column, `${escapeLike(value.text)}%`);
}

function contains(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  return like(engine, column, `%${escapeLike(value.text)}%`);
}

function like(engine: Engine, column: RawBuilder<unknown>, pattern: string): Condition {
  return sql`${engine.lower(column)} LIKE ${pattern} ESCAPE '\\'`;
}

function escapeLike(value: string): string {
  return cleanText(value).replaceAll(/[\\%_]/g, '\\$&');
}

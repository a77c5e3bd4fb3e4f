import { type RawBuilder, sql } from 'kysely';
import type { FieldNode, FieldValue, SearchNode, SessionSelection } from '../../../domain/search.ts';
import type { FieldName, HasValue, IsValue, PlaceFieldName } from '../../../domain/session-fields.ts';
import { DENIALS, FAILED } from '../../../domain/transcript-structure.ts';
import { NANOS_PER_DOLLAR, NO_SLOT, SLOT_MS } from '../../../domain/usage.ts';
import type { Engine, Tx } from '../../engine.ts';
import { matchDevices } from '../devices/devices.ts';
import { matchWorkspaces } from '../workspaces/workspace-rows.ts';
import {
  begins,
  type Condition,
  contains,
  equals,
  hasItem,
  hasPart,
  hasPullRequest,
  IS_PROMPTED,
  IS_SESSION,
  SESSION_HAS,
  SESSION_IS,
  type TextValue,
} from './session-conditions.ts';
import { TOKENS } from './session-order.ts';

/** A question about whole sessions as a condition on `s`: every field is judged for the session. */
export function sessionCondition(engine: Engine, node: SearchNode): Condition {
  switch (node.kind) {
    case 'field':
      return truth(onSession(engine, node));
    case 'not':
      return sql`NOT (${sessionCondition(engine, node.node)})`;
    case 'any':
      return sql`(${sql.join(
        node.nodes.map((one) => sessionCondition(engine, one)),
        sql` OR `,
      )})`;
    case 'all':
      return sql`(${sql.join(allConditions(engine, node.nodes), sql` AND `)})`;
    default:
      throw new TypeError(`a ${node.kind} is not about a whole session`);
  }
}

/** The condition on `s` that selects these sessions. */
export function selectedSessions(engine: Engine, { where = null, all, only }: SessionSelection): Condition {
  if (only !== undefined) return only.length === 0 ? sql`FALSE` : sql`s.id IN (${sql.join(only)})`;
  const shown = shownSessions(where, all);
  return where === null ? shown : sql`${sessionCondition(engine, where)} AND ${shown}`;
}

/** Sessions without a prompt are hidden unless all are asked for or one is named. */
export function shownSessions(where: SearchNode | null, all: boolean | undefined): Condition {
  return showsUnprompted({ where, all }) ? IS_SESSION : IS_PROMPTED;
}

export function showsUnprompted({ where = null, all }: SessionSelection): boolean {
  return all === true || namesSession(where);
}

function namesSession(node: SearchNode | null): boolean {
  return node?.kind === 'all' ? node.nodes.some(namesSession) : node?.kind === 'field' && node.field === 'session';
}

/** A field of a place `d` in a session `s`. PostgreSQL can estimate how many rows this matches. */
export function placeCondition(engine: Engine, node: FieldNode): Condition {
  const related = relatedOf(engine, node);
  return sql`(${related === null ? onSession(engine, node) : RELATED[related.of].place(related.condition)})`;
}

/** The same as true or false on both engines: a comparison with an unknown value is false. */
export function placeTruth(engine: Engine, node: FieldNode): Condition {
  return truth(placeCondition(engine, node));
}

function truth(condition: Condition): Condition {
  return sql`coalesce((${condition}), FALSE)`;
}

/** Fields about calls in one conjunction must match the same call: `tool:Bash exit>0` is a Bash command that failed. */
function allConditions(engine: Engine, nodes: readonly SearchNode[]): Condition[] {
  const isOfCall = (node: SearchNode) => node.kind === 'field' && relatedOf(engine, node)?.of === 'call';
  const isOfUsage = usageFieldsAmong(nodes);
  const calls = nodes.filter(isOfCall).map((node) => (relatedOf(engine, node as FieldNode) as Related).condition);
  const usage = nodes.filter(isOfUsage);
  const others = nodes.filter((node) => !isOfCall(node) && !isOfUsage(node));
  return [
    ...others.map((node) => sessionCondition(engine, node)),
    ...(calls.length === 0 ? [] : [RELATED.call.session(sql`${sql.join(calls, sql` AND `)}`)]),
    ...(usage.length === 0 ? [] : [hasUsage(engine, { kind: 'all', nodes: usage })]),
  ];
}

const USAGE_FIELDS: ReadonlySet<FieldName> = new Set(['used_after', 'used_before', 'used_branch']);

/** The same for usage: `model:opus used_after:7d` is a session that used Opus in the last week, whatever it used before. */
function usageFieldsAmong(nodes: readonly SearchNode[]): (node: SearchNode) => boolean {
  const isUsage = (node: SearchNode) => node.kind === 'field' && USAGE_FIELDS.has(node.field);
  if (!nodes.some(isUsage)) return () => false;
  return (node) => isUsage(node) || (node.kind === 'field' && node.field === 'model');
}

function hasUsage(engine: Engine, node: SearchNode): Condition {
  return sql`EXISTS (SELECT 1 FROM usage_rollups u WHERE u.session_id = s.id AND ${usageCondition(engine, node)})`;
}

function onSession(engine: Engine, node: FieldNode): Condition {
  const related = relatedOf(engine, node);
  if (related !== null) return RELATED[related.of].session(related.condition);
  return CONDITIONS[node.field as Exclude<FieldName, PlaceFieldName>](engine, node.value);
}

/** Rows that a field of places is about, and how they belong to a session or a place. */
const RELATED = {
  call: {
    session: (condition) => hasRow(sql`tool_calls c`, sql`c`, condition),
    place: (condition) => hasRow(sql`tool_calls c`, sql`c`, sql`c.id = d.call_id AND ${condition}`),
  },
  apiError: {
    session: (condition) => hasRow(sql`api_errors e`, sql`e`, condition),
    place: (condition) => hasRow(sql`api_errors e`, sql`e`, sql`e.message_id = d.message_id AND ${condition}`),
  },
  agent: {
    session: (condition) => hasRow(sql`subagents a`, sql`a`, condition),
    place: (condition) =>
      hasRow(
        sql`transcript_messages m JOIN subagents a
          ON a.session_id = m.session_id AND a.revision = m.revision AND a.agent_id = m.agent_id`,
        sql`m`,
        sql`m.id = d.message_id AND ${condition}`,
      ),
  },
  text: {
    session: (condition) => sql`EXISTS (SELECT 1 FROM search_documents d WHERE d.session_id = s.id AND ${condition})`,
    place: (condition) => condition,
  },
} as const satisfies Record<string, Record<'session' | 'place', (condition: Condition) => Condition>>;

function hasRow(tables: RawBuilder<unknown>, alias: RawBuilder<unknown>, condition: Condition): Condition {
  return sql`EXISTS (SELECT 1 FROM ${tables} WHERE ${alias}.session_id = s.id AND ${alias}.revision = s.revision
    AND ${condition})`;
}

interface Related {
  readonly of: keyof typeof RELATED;
  readonly condition: Condition;
}

/** Null for fields of whole sessions. */
function relatedOf(engine: Engine, { field, value }: FieldNode): Related | null {
  if (field === 'exit') return { of: 'call', condition: compare(sql`c.exit_code`, value) };
  if (value.type !== 'text') return null;
  if (field === 'tool') return { of: 'call', condition: equals(engine, sql`c.name`, value) };
  if (field === 'type') return { of: 'text', condition: sql`d.kind = ${value.text}` };
  if (field === 'error') return relatedError(engine, value);
  if (field !== 'agent') return null;
  const [type, name] = [sql`coalesce(a.agent_type, '')`, sql`coalesce(a.agent_name, '')`];
  return { of: 'agent', condition: sql`(${equals(engine, type, value)} OR ${equals(engine, name, value)})` };
}

function relatedError(engine: Engine, value: TextValue): Related {
  const { text } = value;
  if (text === 'tool') return { of: 'call', condition: sql`c.status = ${sql.lit(FAILED)}` };
  if (text === 'denied' || text === 'interrupted') return { of: 'call', condition: sql`c.status = ${text}` };
  const denial = DENIALS.find((name) => name === text);
  if (denial !== undefined) return { of: 'call', condition: sql`c.denial = ${denial}` };
  if (text === 'api') return { of: 'apiError', condition: sql`TRUE` };
  if (/^\d{1,9}$/.test(text)) return { of: 'apiError', condition: sql`e.status = ${Number(text)}` };
  const condition: Condition = sql`(${contains(engine, sql`e.kind`, value)} OR ${contains(engine, sql`e.text`, value)})`;
  return { of: 'apiError', condition };
}

/**
 * The same fields as a condition on git activity `g` outside of all sessions. Null when some field can only be judged
 * for a session, so that no such activity matches.
 */
export function gitCondition(engine: Engine, where: SearchNode | null): Condition | null {
  const nodes = where?.kind === 'all' ? where.nodes : where === null ? [] : [where];
  const conditions = nodes.map((node) => (node.kind === 'field' ? gitField(engine, node) : null));
  if (!conditions.every((condition) => condition !== null)) return null;
  return sql`${sql.join([sql`TRUE`, ...conditions], sql` AND `)}`;
}

/** The same for events, which have no branch. */
export function eventCondition(engine: Engine, where: SearchNode | null): Condition | null {
  const nodes = where?.kind === 'all' ? where.nodes : where === null ? [] : [where];
  return nodes.some((node) => node.kind === 'field' && node.field === 'branch') ? null : gitCondition(engine, where);
}

function gitField(engine: Engine, { field, value }: FieldNode): Condition | null {
  if (field === 'workspace') return isOneOf(sql`g.workspace_id`, value);
  if (field === 'device') return isOneOf(sql`g.device_id`, value);
  if (field === 'after' || field === 'before') return compareTime(sql`g.timestamp`, value);
  return field === 'branch' && value.type === 'text' ? contains(engine, sql`g.branch`, value) : null;
}

/** Time, model and branch as a condition on usage `u`, which is stored by the quarter of an hour. */
export function usageCondition(engine: Engine, node: SearchNode): Condition {
  if (node.kind === 'all') {
    return sql`${sql.join(
      node.nodes.map((one) => usageCondition(engine, one)),
      sql` AND `,
    )}`;
  }
  if (node.kind !== 'field') throw new TypeError(`a ${node.kind} is not about usage`);
  const { value } = node;
  if (value.type === 'text')
    return contains(engine, node.field === 'used_branch' ? sql`u.git_branch` : sql`u.model`, value);
  if (value.type !== 'time') throw wrongType('a time', value);
  const slot = Math.ceil(Date.parse(value.at) / SLOT_MS);
  return sql`u.time_slot ${sql.raw(value.comparison)} ${slot} AND u.time_slot <> ${sql.lit(NO_SLOT)}`;
}

type FieldCondition = (engine: Engine, value: FieldValue) => Condition;

const CONDITIONS: Readonly<Record<Exclude<FieldName, PlaceFieldName>, FieldCondition>> = {
  file: text((engine, value) => hasPart('touched_files', contains(engine, sql`x.path`, value))),
  model: text((engine, value) => hasItem(engine, sql`s.models`, contains, value)),
  branch: text(
    (engine, value) => sql`${contains(engine, sql`s.git_branch`, value)} OR EXISTS (SELECT 1 FROM git_activity g
      WHERE g.session_id = s.id AND g.duplicate_of IS NULL AND ${contains(engine, sql`g.branch`, value)})
      OR EXISTS (SELECT 1 FROM usage_rollups u WHERE u.session_id = s.id AND ${contains(engine, sql`u.git_branch`, value)})`,
  ),
  workspace: (_, value) => isOneOf(sql`s.workspace_id`, value),
  device: (_, value) => isOneOf(sql`s.device_id`, value),
  session: text((engine, value) => begins(engine, sql`s.id`, value)),
  title: text((engine, value) => contains(engine, sql`s.title`, value)),
  tag: text((engine, value) => {
    // Tags are stored in this form.
    const tag = { ...value, text: value.text.normalize('NFC').trim().toLowerCase() };
    return sql`EXISTS (SELECT 1 FROM session_tags t WHERE t.session_id = s.id AND ${equals(engine, sql`t.tag`, tag)})`;
  }),
  commit: text(
    (engine, value) => sql`EXISTS (SELECT 1 FROM git_activity g WHERE g.session_id = s.id AND g.type = 'commit'
      AND g.duplicate_of IS NULL AND (${begins(engine, sql`g.commit_sha`, value)} OR ${contains(engine, sql`g.message`, value)}))`,
  ),
  pr: (_, value) => hasPullRequest((number) => compare(number, value)),
  version: text((engine, value) => begins(engine, sql`s.cc_version`, value)),
  speed: text((engine, value) => hasItem(engine, sql`s.speeds`, equals, value)),
  tier: text((engine, value) => hasItem(engine, sql`s.service_tiers`, equals, value)),
  cost: (_, value) => compare(sql`s.cost_nanos`, value, NANOS_PER_DOLLAR),
  tokens: (_, value) => compare(TOKENS, value),
  messages: (_, value) => compare(sql`s.total_messages`, value),
  duration: (_, value) => compare(sql`s.duration_ms`, value),
  before: (_, value) => compareTime(sql`s.started_at`, value),
  after: (_, value) => compareTime(sql`s.started_at`, value),
  ended_before: (_, value) => compareTime(sql`s.ended_at`, value),
  ended_after: (_, value) => compareTime(sql`s.ended_at`, value),
  used_before: (engine, value) => hasUsage(engine, { kind: 'field', field: 'used_before', value }),
  used_after: (engine, value) => hasUsage(engine, { kind: 'field', field: 'used_after', value }),
  used_branch: (engine, value) => hasUsage(engine, { kind: 'field', field: 'used_branch', value }),
  kind: text((_, value) => sql`s.work_kind = ${value.text}`),
  lifecycle: text((_, value) => sql`s.lifecycle = ${value.text}`),
  parse_status: text((_, value) => sql`s.parse_status = ${value.text}`),
  is: text((_, value) => SESSION_IS[value.text as IsValue]),
  has: text((_, value) => SESSION_HAS[value.text as HasValue]),
};

function text(condition: (engine: Engine, value: TextValue) => Condition): FieldCondition {
  return (engine, value) => {
    if (value.type !== 'text') throw wrongType('a text', value);
    return condition(engine, value);
  };
}

function compare(column: RawBuilder<unknown>, value: FieldValue, factor = 1): Condition {
  if (value.type !== 'number') throw wrongType('a number', value);
  const bound = Math.min(Math.round(value.number * factor), Number.MAX_SAFE_INTEGER);
  return sql`${column} ${sql.raw(value.comparison)} ${bound}`;
}

function compareTime(column: RawBuilder<unknown>, value: FieldValue): Condition {
  if (value.type !== 'time') throw wrongType('a time', value);
  return sql`${column} ${sql.raw(value.comparison)} ${value.at}`;
}

/** Names were replaced with ids before, see `resolveNames`. */
function isOneOf(column: RawBuilder<unknown>, value: FieldValue): Condition {
  if (value.type !== 'ids') throw wrongType('ids', value);
  return value.ids.length === 0 ? sql`FALSE` : sql`${column} IN (${sql.join(value.ids)})`;
}

function wrongType(wanted: string, { type }: FieldValue): TypeError {
  return new TypeError(`expected ${wanted}, not a ${type}`);
}

/**
 * Replaces names of workspaces and devices with the ids they match. `mustExist`: a name that matches nothing is an
 * error, as for an option or parameter; in a search it just finds nothing. Errors: not_found.
 */
export async function resolveNames(
  db: Tx,
  node: SearchNode,
  { mustExist }: { readonly mustExist: boolean },
): Promise<SearchNode> {
  if (node.kind === 'not') return { ...node, node: await resolveNames(db, node.node, { mustExist }) };
  if (node.kind === 'all' || node.kind === 'any') {
    const nodes: SearchNode[] = [];
    for (const one of node.nodes) nodes.push(await resolveNames(db, one, { mustExist }));
    return { ...node, nodes };
  }
  if (node.kind !== 'field' || node.value.type !== 'text' || !isName(node)) return node;
  const match = node.field === 'workspace' ? matchWorkspaces : matchDevices;
  return { ...node, value: { type: 'ids', ids: await match(db, node.value.text, { mustExist }) } };
}

/** Whether the value of a field names a workspace or device. */
export function isName({ field }: FieldNode): boolean {
  return field === 'workspace' || field === 'device';
}

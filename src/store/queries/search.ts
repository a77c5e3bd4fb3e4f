import { type RawBuilder, sql } from 'kysely';
import {
  type FieldNode,
  fieldsOf,
  type Place,
  type PlaceKind,
  type PlaceText,
  type SearchIndex,
  type SearchNode,
  type SessionFacts,
} from '../../domain/search.ts';
import type { Engine, IdRange } from '../engine.ts';
import { EVERY_ID, firstIdOf, IDS_A_MINUTE } from '../search-ids.ts';
import { type Condition, fieldCondition } from './search-conditions.ts';
import { absentWord, toWordQuery } from './word-query.ts';

/** The store's side of a search. */
export function createSearchIndex(engine: Engine): SearchIndex {
  return {
    findPlaces: (node, page) => findPlaces(engine, node, page),
    readTexts: (places) => readTexts(engine, places),
    findSessions: (node, { after, limit }) => findSessions(engine, node, after, limit),
    countSessions: (node) => countSessions(engine, node),
    readSessions: (ids) => readSessions(engine, ids),
  };
}

interface RawPlace {
  readonly id: number;
  readonly session_id: string;
  readonly message_id: string;
  readonly block_order: number;
  readonly part: number;
  readonly kind: string;
  readonly chars: number;
  readonly [field: `f${number}`]: boolean | number;
}

async function findPlaces(
  engine: Engine,
  node: SearchNode,
  { belowId, limit }: { readonly belowId: number | null; readonly limit: number },
): Promise<Place[]> {
  const fields = fieldsOf(node);
  const range = idRange(node, belowId);
  const truths = fields.map((field, at) => sql`, ${fieldCondition(engine, field)} AS ${sql.ref(`f${at}`)}`);
  const condition = widen(engine, node, range) ?? sql`TRUE`;
  const words = toWordQuery(node);
  const from =
    words === null
      ? sql`search_documents d CROSS JOIN sessions s WHERE d.id >= ${range.from} AND d.id < ${range.below}`
      : sql`(${engine.searchIds(words, range)}) f CROSS JOIN search_documents d CROSS JOIN sessions s WHERE d.id = f.id`;
  const order = words === null ? sql`d.id` : sql`f.id`;
  const { rows } = await sql<RawPlace>`
    SELECT d.id, d.session_id, d.message_id, d.block_order, d.part, d.kind, d.chars ${sql.join(truths, sql``)}
    FROM ${from} AND s.id = d.session_id AND ${condition} ORDER BY ${order} DESC LIMIT ${limit}`.execute(engine.kysely);
  return rows.map((row) => toPlace(row, fields));
}

function toPlace(row: RawPlace, fields: readonly FieldNode[]): Place {
  return {
    id: row.id,
    sessionId: row.session_id,
    messageId: row.message_id,
    blockOrder: row.block_order,
    part: row.part,
    kind: row.kind as PlaceKind,
    chars: row.chars,
    fields: fields.map((_, at) => Boolean(row[`f${at}`])),
  };
}

/** Ids follow the time, so `before:` and `after:` are a stretch of the index. */
function idRange(node: SearchNode, belowId: number | null): IdRange {
  let from: number = EVERY_ID.from;
  let below = belowId ?? EVERY_ID.below;
  for (const one of node.kind === 'all' ? node.nodes : [node]) {
    if (one.kind !== 'field' || one.value.type !== 'time') continue;
    const first = firstIdOf(one.value.at);
    if (one.value.comparison === '>=') from = Math.max(from, first);
    else below = Math.min(below, first + IDS_A_MINUTE);
  }
  return { from, below };
}

/** A condition that all places fulfil that fit, and perhaps some more: the text decides. Null when there is none. */
function widen(engine: Engine, node: SearchNode, range: IdRange): Condition | null {
  if (node.kind === 'field') return fieldCondition(engine, node);
  if (node.kind === 'not') return negate(exactly(engine, node.node, range));
  const isAskedOfIndex = toWordQuery(node) !== null;
  if (node.kind === 'any') {
    if (isAskedOfIndex && fieldsOf(node).length === 0) return null;
    const inner = node.nodes.map((item) => narrow([hasWords(engine, item, range), widen(engine, item, range)]));
    return inner.every((item) => item !== null) ? combine(inner, ' OR ') : null;
  }
  if (node.kind !== 'all') return null;
  const rest = isAskedOfIndex ? node.nodes.filter((item) => absentWord(item) === null) : node.nodes;
  return narrow(rest.map((item) => widen(engine, item, range)));
}

function narrow(conditions: readonly (Condition | null)[]): Condition | null {
  return combine(
    conditions.filter((condition) => condition !== null),
    ' AND ',
  );
}

/** The very condition, where SQL can tell; a phrase only the text can. */
function exactly(engine: Engine, node: SearchNode, range: IdRange): Condition | null {
  if (node.kind === 'field') return fieldCondition(engine, node);
  if (node.kind === 'text') return node.words.length === 1 ? hasWords(engine, node, range) : null;
  if (node.kind === 'not') return negate(exactly(engine, node.node, range));
  if (node.kind === 'pattern') return null;
  const inner = node.nodes.map((item) => exactly(engine, item, range));
  return inner.every((item) => item !== null) ? combine(inner, node.kind === 'all' ? ' AND ' : ' OR ') : null;
}

function hasWords(engine: Engine, node: SearchNode, range: IdRange): Condition | null {
  const words = toWordQuery(node);
  return words === null ? null : sql`d.id IN (${engine.searchIds(words, range)})`;
}

function negate(condition: Condition | null): Condition | null {
  return condition === null ? null : sql`NOT (${condition})`;
}

function combine(conditions: readonly Condition[], by: ' AND ' | ' OR '): Condition | null {
  return conditions.length === 0 ? null : sql`(${sql.join(conditions, sql.raw(by))})`;
}

async function readTexts(engine: Engine, places: readonly Place[]): Promise<ReadonlyMap<number, PlaceText>> {
  if (places.length === 0) return new Map();
  const { rows } = await sql<PlaceText & { id: number; plain: string | null; input: string | null }>`
    SELECT d.id, m.ordinal, m.timestamp, coalesce(b.tool_name, c.name) AS "toolName", b.tool_input AS input,
      CASE d.kind WHEN 'title' THEN s.title WHEN 'summary' THEN s.summary WHEN 'note' THEN n.text
        ELSE coalesce(b.content_text, b.thinking_text, b.result_text) END AS plain
    FROM search_documents d
    JOIN sessions s ON s.id = d.session_id
    LEFT JOIN content_blocks b ON b.session_id = d.session_id AND b.revision = s.revision
      AND b.message_id = d.message_id AND b.block_order = d.block_order
    LEFT JOIN transcript_messages m ON m.session_id = d.session_id AND m.revision = s.revision AND m.id = d.message_id
    LEFT JOIN tool_calls c ON c.session_id = d.session_id AND c.revision = s.revision AND c.id = d.call_id
    LEFT JOIN session_notes n ON d.kind = 'note' AND n.id = d.message_id
    WHERE d.id IN (${sql.join(places.map(({ id }) => id))})`.execute(engine.kysely);
  return new Map(
    rows.flatMap(({ id, plain, input, ordinal, timestamp, toolName }) => {
      const text = plain ?? input;
      return text === null ? [] : [[id, { text, isJson: plain === null, ordinal, timestamp, toolName }]];
    }),
  );
}

const FACTS = sql`s.id AS session_id, s.title, w.display_name AS workspace_name, s.started_at, s.lifecycle,
  s.git_branch, s.model, s.cost_estimate_usd`;
const SESSIONS = sql`sessions s JOIN workspaces w ON w.id = s.workspace_id`;

async function findSessions(
  engine: Engine,
  node: SearchNode,
  after: Pick<SessionFacts, 'started_at' | 'session_id'> | null,
  limit: number,
): Promise<SessionFacts[]> {
  const older: RawBuilder<boolean> =
    after === null
      ? sql`TRUE`
      : sql`(s.started_at < ${after.started_at} OR (s.started_at = ${after.started_at} AND s.id < ${after.session_id}))`;
  const { rows } = await sql<SessionFacts>`SELECT ${FACTS} FROM ${SESSIONS}
    WHERE ${exactly(engine, node, EVERY_ID) ?? sql`TRUE`} AND ${older}
    ORDER BY s.started_at DESC, s.id DESC LIMIT ${limit}`.execute(engine.kysely);
  return rows;
}

async function countSessions(engine: Engine, node: SearchNode): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM sessions s
    WHERE ${exactly(engine, node, EVERY_ID) ?? sql`TRUE`}`.execute(engine.kysely);
  return rows[0]?.count ?? 0;
}

async function readSessions(engine: Engine, ids: readonly string[]): Promise<ReadonlyMap<string, SessionFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<SessionFacts>`SELECT ${FACTS} FROM ${SESSIONS} WHERE s.id IN (${sql.join(ids)})`.execute(
    engine.kysely,
  );
  return new Map(rows.map((row) => [row.session_id, row]));
}

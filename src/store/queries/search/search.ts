import { type RawBuilder, sql } from 'kysely';
import {
  type FoundSessionFacts,
  fieldsOf,
  type Place,
  type PlaceCall,
  type PlaceText,
  partOf,
  type SearchIndex,
  type SearchNode,
  searchedText,
} from '../../../domain/search.ts';
import type { JsonValue } from '../../../domain/transcript.ts';
import type { Engine } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { isName, resolveNames, selectedSessions } from '../sessions/field-conditions.ts';
import { countPlaces, listPlaces } from './count-places.ts';
import { findPlaces, findPlacesOf, PLACES_PER_STEP } from './search-places.ts';

interface SearchIndexOptions {
  readonly placesAStep?: number;
  readonly documentsAStep?: number;
  /** Finds sessions without a prompt, too. */
  readonly all?: boolean;
  /** Only places of this session. */
  readonly sessionId?: string;
  /** Maximum number of places per session for queries without words. */
  readonly placesASession?: number;
  /** H14: what is left of the time of this search; without it there is no limit but that of the engine. */
  readonly leftMs?: () => number;
}

/** Creates the store's side of one search. Errors: timeout. */
export function createSearchIndex(engine: Engine, options: SearchIndexOptions = {}): SearchIndex {
  const { placesAStep = PLACES_PER_STEP, documentsAStep, all = false, leftMs, sessionId, placesASession } = options;
  const inTime = <T>(ask: (limited: Engine) => Promise<T>) =>
    leftMs === undefined ? ask(engine) : engine.within(leftMs(), ask);
  return {
    resolveNames: async (node) =>
      fieldsOf(node).some(isName) ? inTime(({ kysely }) => resolveNames(kysely, node, { mustExist: false })) : node,
    findPlaces: (node, page) => inTime((limited) => findPlaces(limited, node, page, { placesAStep, all, sessionId })),
    countPlaces: (node, belowId) => inTime((limited) => countPlaces(limited, node, belowId, { documentsAStep, all })),
    listPlaces: (node, ids) => inTime((limited) => listPlaces(limited, node, ids, all)),
    findPlacesOf: (node, sessionIds) => inTime((limited) => findPlacesOf(limited, node, sessionIds, placesASession)),
    readTexts: (places) => inTime((limited) => readTexts(limited, places)),
    readCalls: (places) => inTime((limited) => readCalls(limited, places)),
    findSessions: (node, { after, limit }) =>
      inTime((limited) => findSessions(limited, whereSessions(limited, node, all), after, limit)),
    countSessions: (node) => inTime((limited) => countSessions(limited, whereSessions(limited, node, all))),
    readSessions: (ids) => inTime((limited) => readSessions(limited, ids)),
  };
}

interface RawPlace {
  readonly id: number;
  readonly ordinal: number | null;
  readonly timestamp: string | null;
  readonly toolName: string | null;
  readonly plain: string | null;
  readonly input: string | null;
  readonly isLong: number;
}

async function readTexts(engine: Engine, places: readonly Place[]): Promise<ReadonlyMap<number, PlaceText>> {
  if (places.length === 0) return new Map();
  const { rows } = await sql<RawPlace>`
    SELECT d.id, m.ordinal, m.timestamp, coalesce(b.tool_name, c.name) AS "toolName", b.tool_input AS input,
      CASE WHEN b.result_s3_key IS NULL THEN 0 ELSE 1 END AS "isLong",
      CASE WHEN b.result_s3_key IS NOT NULL THEN NULL
        WHEN d.kind = 'title' THEN s.title WHEN d.kind = 'summary' THEN s.summary WHEN d.kind = 'note' THEN n.text
        WHEN d.kind = 'document' THEN t.text
        ELSE coalesce(b.content_text, b.thinking_text, b.result_text) END AS plain
    FROM search_documents d
    JOIN sessions s ON s.id = d.session_id
    LEFT JOIN content_blocks b ON b.session_id = d.session_id AND b.revision = s.revision
      AND b.message_id = d.message_id AND b.block_order = d.block_order
    LEFT JOIN transcript_messages m ON m.session_id = d.session_id AND m.revision = s.revision AND m.id = d.message_id
    LEFT JOIN tool_calls c ON c.session_id = d.session_id AND c.revision = s.revision AND c.id = d.call_id
    LEFT JOIN session_notes n ON d.kind = 'note' AND n.id = d.message_id
    LEFT JOIN documents t ON d.kind = 'document' AND t.id = d.message_id
    WHERE d.id IN (${sql.join(places.map(({ id }) => id))})`.execute(engine.kysely);
  const byId = new Map(places.map((place) => [place.id, place]));
  const long = rows.filter(({ isLong }) => isLong === 1);
  const longTexts = await readLongTexts(
    engine,
    long.map(({ id }) => byId.get(id) as Place),
  );
  return new Map(
    rows.flatMap(({ id, plain, input, isLong, ordinal, timestamp, toolName }) => {
      const { part } = byId.get(id) as Place;
      const text = plain ?? input;
      const own =
        isLong === 1
          ? longTexts.get(id)
          : text === null
            ? undefined
            : partOf(searchedText({ text, isJson: plain === null }), part);
      const json = plain === null && isLong === 0 ? input : null;
      return own === undefined ? [] : [[id, { text: own, json, ordinal, timestamp, toolName }]];
    }),
  );
}

interface RawCall {
  readonly id: number;
  readonly name: string | null;
  readonly input: string | null;
  readonly status: string;
  readonly exit_code: number | null;
}

async function readCalls(engine: Engine, places: readonly Place[]): Promise<ReadonlyMap<number, PlaceCall>> {
  if (places.length === 0) return new Map();
  const { rows } = await sql<RawCall>`
    SELECT d.id, c.name, c.status, c.exit_code, u.tool_input AS input FROM search_documents d
    JOIN sessions s ON s.id = d.session_id
    JOIN tool_calls c ON c.session_id = d.session_id AND c.revision = s.revision AND c.id = d.call_id
    LEFT JOIN content_blocks u ON u.session_id = c.session_id AND u.revision = c.revision
      AND u.message_id = c.message_id AND u.tool_use_id = c.id
    WHERE d.id IN (${sql.join(places.map(({ id }) => id))})`.execute(engine.kysely);
  return new Map(
    rows.map(({ id, name, input, status, exit_code }) => [
      id,
      { name, input: input === null ? null : readJson<JsonValue>(input), status, exitCode: exit_code },
    ]),
  );
}

/**
 * Loads parts of long blocks. Many documents are in one block, so each block is read once and only one is held at a
 * time.
 */
async function readLongTexts(engine: Engine, places: readonly Place[]): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  const blocks = Map.groupBy(places, (place) => JSON.stringify([place.sessionId, place.messageId, place.blockOrder]));
  for (const [first, ...others] of blocks.values()) {
    if (first === undefined) continue;
    const { rows } = await sql<{ text: string | null }>`
      SELECT coalesce(b.content_text, b.thinking_text, b.result_text) AS text FROM content_blocks b
      JOIN sessions s ON s.id = b.session_id AND s.revision = b.revision
      WHERE b.session_id = ${first.sessionId} AND b.message_id = ${first.messageId}
      AND b.block_order = ${first.blockOrder}`.execute(engine.kysely);
    const text = rows[0]?.text;
    if (text) for (const place of [first, ...others]) texts.set(place.id, partOf(text, place.part));
  }
  return texts;
}

const FACTS = sql`s.id AS session_id, s.title, w.display_name AS workspace_name, s.started_at, s.lifecycle,
  s.git_branch, s.model, s.cost_estimate_usd`;
const SESSIONS = sql`sessions s JOIN workspaces w ON w.id = s.workspace_id`;

function whereSessions(engine: Engine, where: SearchNode, all: boolean): RawBuilder<boolean> {
  return sql`${selectedSessions(engine, { where, all })} AND ${engine.inTime}`;
}

async function findSessions(
  engine: Engine,
  where: RawBuilder<boolean>,
  after: Pick<FoundSessionFacts, 'started_at' | 'session_id'> | null,
  limit: number,
): Promise<FoundSessionFacts[]> {
  const older: RawBuilder<boolean> =
    after === null
      ? sql`TRUE`
      : sql`(s.started_at < ${after.started_at} OR (s.started_at = ${after.started_at} AND s.id < ${after.session_id}))`;
  const { rows } = await sql<FoundSessionFacts>`SELECT ${FACTS} FROM ${SESSIONS}
    WHERE ${where} AND ${older}
    ORDER BY s.started_at DESC, s.id DESC LIMIT ${limit}`.execute(engine.kysely);
  return rows;
}

async function countSessions(engine: Engine, where: RawBuilder<boolean>): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM sessions s WHERE ${where}`.execute(
    engine.kysely,
  );
  return rows[0]?.count ?? 0;
}

async function readSessions(engine: Engine, ids: readonly string[]): Promise<ReadonlyMap<string, FoundSessionFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } =
    await sql<FoundSessionFacts>`SELECT ${FACTS} FROM ${SESSIONS} WHERE s.id IN (${sql.join(ids)})`.execute(
      engine.kysely,
    );
  return new Map(rows.map((row) => [row.session_id, row]));
}

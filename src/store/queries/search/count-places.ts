import { type RawBuilder, sql } from 'kysely';
import {
  type CountedPlaces,
  LONG_PLACE_CHARS,
  type Place,
  type PlaceCounts,
  type PlaceGroup,
  SESSION_KINDS,
  type SearchNode,
} from '../../../domain/search.ts';
import type { Engine, IdRange } from '../../engine.ts';
import { shownSessions } from '../sessions/field-conditions.ts';
import { isDecidedByIndex, toWordQuery, widen } from './search-conditions.ts';
import { EVERY_ID } from './search-index.ts';
import { idRange, newestOf, selectPlaces } from './search-places.ts';

/**
 * H14: how many documents a statement may count. Other requests to an embedded database wait for it; PostgreSQL cancels
 * a long one and runs others beside it.
 */
const DOCUMENTS_PER_STEP = 40_000;
const DOCUMENTS_PER_CANCELABLE_STEP = 250_000;

export interface CountOptions {
  readonly documentsAStep?: number | undefined;
  readonly all: boolean;
}

/** Counts the newest matches below an id. Null when only their texts can decide what matches. */
export async function countPlaces(
  engine: Engine,
  node: SearchNode,
  belowId: number | null,
  { documentsAStep, all }: CountOptions,
): Promise<PlaceCounts | null> {
  if (!isDecidedByIndex(engine, node)) return null;
  const range = idRange(node, belowId);
  const usual = engine.stopsReads ? DOCUMENTS_PER_CANCELABLE_STEP : DOCUMENTS_PER_STEP;
  const step = await newestOf(engine, range, documentsAStep ?? usual);
  const groups = await countGroups(engine, node, step, shownSessions(node, all));
  return { groups, countedTo: step.from === range.from ? null : step.from };
}

interface RawGroup extends Omit<CountedPlaces, 'places'> {
  readonly documents: number;
  /** Ids of those that do not simply count, separated by commas; a minus marks those whose text decides. */
  readonly special: string | null;
}

/**
 * The index has the texts of the rows, written by this version. Texts of a session as a whole change without its rows, so
 * the index may be behind them.
 */
const IS_CURRENT = sql<boolean>`s.indexed_version = s.rows_version AND s.indexed_revision = s.revision
  AND d.kind NOT IN (${sql.join(SESSION_KINDS.map((kind) => sql.lit(kind)))})`;
const SPECIAL_ID = sql`CASE WHEN NOT (d.is_sure AND ${IS_CURRENT}) THEN '-' || CAST(d.id AS TEXT)
  WHEN d.part > 0 OR d.chars >= ${sql.lit(LONG_PLACE_CHARS)} THEN CAST(d.id AS TEXT) END`;

async function countGroups(
  engine: Engine,
  node: SearchNode,
  range: IdRange,
  shown: RawBuilder<boolean>,
): Promise<readonly PlaceGroup[]> {
  const words = toWordQuery(node);
  if (words === null) return [];
  // The limit keeps PostgreSQL from joining the calls of a tool before the words (measured: 5 times slower).
  const { rows } = await sql<RawGroup>`
    SELECT d.session_id AS "sessionId", d.kind, c.name AS tool, count(*) AS documents,
      string_agg(${SPECIAL_ID}, ',') AS special
    FROM (
      SELECT d.*, f.is_sure FROM (${engine.searchIds(words, range)}) f CROSS JOIN search_documents d WHERE d.id = f.id
      LIMIT ${sql.lit(Number.MAX_SAFE_INTEGER)}
    ) d CROSS JOIN sessions s
    LEFT JOIN tool_calls c ON c.session_id = d.session_id AND c.revision = s.revision AND c.id = d.call_id
    WHERE s.id = d.session_id AND ${shown} AND ${widen(engine, node, range) ?? sql`TRUE`}
    GROUP BY d.session_id, d.kind, c.name`.execute(engine.kysely);
  return rows.map(toGroup);
}

function toGroup({ sessionId, kind, tool, documents, special }: RawGroup): PlaceGroup {
  const ids = special === null ? [] : special.split(',');
  const doubtful = ids.filter((id) => id.startsWith('-'));
  return {
    sessionId,
    kind,
    tool,
    places: documents - ids.length,
    partIds: ids.filter((id) => !id.startsWith('-')).map(Number),
    doubtfulIds: doubtful.map((id) => Number(id.slice(1))),
  };
}

/** Candidates by their ids. */
export function listPlaces(
  engine: Engine,
  node: SearchNode,
  ids: readonly number[],
  all: boolean,
): Promise<readonly Place[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return selectPlaces(engine, node, {
    source: sql`SELECT id FROM search_documents WHERE id IN (${sql.join(ids)})`,
    range: EVERY_ID,
    limit: ids.length,
    shown: shownSessions(node, all),
  });
}

import { type RawBuilder, sql } from 'kysely';
import {
  type CandidatePage,
  type Candidates,
  type FieldNode,
  fieldsOf,
  type Place,
  type PlaceKind,
  type PlacesOfSession,
  type SearchNode,
} from '../../../domain/search.ts';
import type { Engine, IdRange } from '../../engine.ts';
import { placeTruth, shownSessions } from '../sessions/field-conditions.ts';
import { exactly, idsOfTexts, toWordQuery, widen } from './search-conditions.ts';
import { EVERY_ID, firstIdOf, IDS_PER_MINUTE } from './search-index.ts';

/**
 * H14: how many documents a statement examines beyond the word index. Takes well under a second on a small machine; the
 * search continues with further steps while there is time.
 */
export const PLACES_PER_STEP = 4_000;
/** Checking fields is faster than reading texts. */
const STEPS_OF_FIELDS = 5;

/** Documents in which a phrase is looked for first, where the engine checks phrases. */
const PHRASE_DOCUMENTS = 8_000;

/**
 * Returns candidates in steps, newest first. Where texts are indexed, a pattern is first checked on the newest ones
 * only: a frequent pattern is found among them, and a rare one is found quickly by the index. The same goes for phrases
 * where the engine checks them.
 */
export async function findPlaces(
  engine: Engine,
  node: SearchNode,
  page: CandidatePage,
  { placesAStep, all, sessionId }: PlaceOptions,
): Promise<Candidates> {
  const isOfSession: RawBuilder<boolean> = sessionId === undefined ? sql`TRUE` : sql`d.session_id = ${sessionId}`;
  const shown = sql<boolean>`${shownSessions(node, all)} AND ${isOfSession}`;
  const range = narrowed(
    idRange(node, page.belowId),
    sessionId === undefined ? EVERY_ID : await idsOfSession(engine, sessionId),
  );
  const step = await stepOf(engine, node, range, placesAStep);
  const near = await selectPlaces(engine, node, {
    source: sourceOf(engine, node, step),
    range: step,
    limit: page.limit,
    shown,
  });
  if (near.length === page.limit) return { places: near, lookedTo: near.at(-1)?.id ?? null };
  if (step.from === range.from) return { places: near, lookedTo: null };
  const older = { from: range.from, below: step.from };
  const source = await sourceOfRest(engine, node, older);
  if (source === null) return { places: near, lookedTo: step.from };
  const limit = page.limit - near.length;
  const far = await selectPlaces(engine, node, { source, range: older, limit, shown });
  const places = [...near, ...far];
  return { places, lookedTo: far.length === limit ? (places.at(-1)?.id ?? null) : null };
}

interface PlaceOptions {
  readonly placesAStep: number;
  readonly all: boolean;
  readonly sessionId?: string | undefined;
}

function narrowed(a: IdRange, b: IdRange): IdRange {
  return { from: Math.max(a.from, b.from), below: Math.min(a.below, b.below) };
}

/** Ids follow the start of a session, so its documents are close together. */
async function idsOfSession(engine: Engine, sessionId: string): Promise<IdRange> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    SELECT min(id) AS first, max(id) AS last FROM search_documents WHERE session_id = ${sessionId}`.execute(
    engine.kysely,
  );
  return { from: rows[0]?.first ?? 0, below: (rows[0]?.last ?? -1) + 1 };
}

/** The newest part of a range that one statement may examine. */
async function stepOf(engine: Engine, node: SearchNode, range: IdRange, places: number): Promise<IdRange> {
  if (isCheckedPhrase(engine, node)) return newestOf(engine, range, PHRASE_DOCUMENTS);
  const hasWords = toWordQuery(node) !== null;
  const isCheap = hasWords && (widen(engine, node, range) === null || (engine.stopsReads && !hasPattern(node)));
  if (isCheap) return range;
  const offset = hasPattern(node) ? places : places * STEPS_OF_FIELDS;
  const { rows } = await sql<{ id: number }>`SELECT id FROM (${sourceOf(engine, node, range)}) f
    ORDER BY id DESC LIMIT 1 OFFSET ${offset}`.execute(engine.kysely);
  return { from: rows[0]?.id ?? range.from, below: range.below };
}

/** The part of a range with its newest documents. */
export async function newestOf(engine: Engine, { from, below }: IdRange, documents: number): Promise<IdRange> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM search_documents WHERE id >= ${from} AND id < ${below}
    ORDER BY id DESC LIMIT 1 OFFSET ${documents - 1}`.execute(engine.kysely);
  return { from: rows[0]?.id ?? from, below };
}

type Source = RawBuilder<{ id: number }>;

/** The ids of all documents, or of those with the words. */
function sourceOf(engine: Engine, node: SearchNode, range: IdRange): Source {
  const words = toWordQuery(node);
  if (words !== null) return engine.searchIds(words, range);
  return sql`SELECT id FROM search_documents WHERE id >= ${range.from} AND id < ${range.below}`;
}

/** The ids of all other candidates; null when they are examined step by step. */
async function sourceOfRest(engine: Engine, node: SearchNode, range: IdRange): Promise<Source | null> {
  const words = toWordQuery(node);
  if (words !== null && isCheckedPhrase(engine, node)) {
    // The limit makes PostgreSQL ask the index; to find some of them, it would check all documents one after the other.
    return sql`SELECT id FROM (${engine.searchIds(words, range)}) w LIMIT ${sql.lit(Number.MAX_SAFE_INTEGER)}`;
  }
  const texts = drivingTexts(node);
  return texts.length > 0 && (await engine.hasTextIndex()) ? idsOfTexts(engine, texts) : null;
}

function isCheckedPhrase(engine: Engine, node: SearchNode): boolean {
  return engine.checksPhrases && hasPhrase(node) && toWordQuery(node) !== null && !hasPattern(node);
}

function hasPattern(node: SearchNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(hasPattern);
  return node.kind === 'pattern' || (node.kind === 'not' && hasPattern(node.node));
}

function hasPhrase(node: SearchNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(hasPhrase);
  return node.kind === 'text' && node.words.length > 1;
}

/** The longest texts of patterns that must all match. */
function drivingTexts(node: SearchNode): readonly string[] {
  const patterns = (node.kind === 'all' ? node.nodes : [node]).filter((one) => one.kind === 'pattern');
  const shortest = (texts: readonly string[]) => Math.min(...texts.map((text) => text.length));
  const lists = patterns.map(({ texts }) => texts).filter((texts) => texts.length > 0);
  return lists.toSorted((a, b) => shortest(b) - shortest(a))[0] ?? [];
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

interface Selection {
  readonly source: Source;
  readonly range: IdRange;
  readonly limit: number;
  readonly shown: RawBuilder<boolean>;
}

/** Places of a source that may match, newest first. */
export async function selectPlaces(
  engine: Engine,
  node: SearchNode,
  { source, range, limit, shown }: Selection,
): Promise<Place[]> {
  const fields = fieldsOf(node);
  const truths = fields.map((field, at) => sql`, ${placeTruth(engine, field)} AS ${sql.ref(`f${at}`)}`);
  const condition = widen(engine, node, range) ?? sql`TRUE`;
  // Texts may be of any length, but field checks of a step finish before a clock check would matter.
  const inTime = hasPattern(node) ? engine.inTime : sql`TRUE`;
  const { rows } = await sql<RawPlace>`
    SELECT d.id, d.session_id, d.message_id, d.block_order, d.part, d.kind, d.chars ${sql.join(truths, sql``)}
    FROM (${source}) f CROSS JOIN search_documents d CROSS JOIN sessions s
    WHERE d.id = f.id AND f.id >= ${range.from} AND f.id < ${range.below} AND s.id = d.session_id AND ${shown}
      AND ${condition} AND ${inTime}
    ORDER BY f.id DESC LIMIT ${limit}`.execute(engine.kysely);
  return rows.map((row) => toPlace(row, fields));
}

const MAX_PLACES_A_SESSION = 12;

/** The newest places of these sessions that match a query of fields, and how many match. */
export async function findPlacesOf(
  engine: Engine,
  node: SearchNode,
  sessionIds: readonly string[],
  placesASession = MAX_PLACES_A_SESSION,
): Promise<readonly PlacesOfSession[]> {
  if (sessionIds.length === 0) return [];
  const condition = exactly(engine, node, EVERY_ID) ?? sql`TRUE`;
  // Fields are about whole blocks, so the first part represents a long one.
  const { rows } = await sql<RawPlace & { readonly places: number }>`SELECT * FROM (
    SELECT d.id, d.session_id, d.message_id, d.block_order, d.part, d.kind, d.chars,
      count(*) OVER (PARTITION BY d.session_id) AS places,
      row_number() OVER (PARTITION BY d.session_id ORDER BY d.id DESC) AS nth
    FROM search_documents d JOIN sessions s ON s.id = d.session_id
    WHERE d.session_id IN (${sql.join(sessionIds)}) AND d.part = 0 AND ${condition} AND ${engine.inTime}) f
    WHERE nth <= ${placesASession}`.execute(engine.kysely);
  return [...Map.groupBy(rows, ({ session_id }) => session_id)].map(([sessionId, found]) => ({
    sessionId,
    count: found[0]?.places ?? 0,
    places: found.map((row) => toPlace(row, [])),
  }));
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

/** Ids follow time, so `before:` and `after:` select a range of the index. */
export function idRange(node: SearchNode, belowId: number | null): IdRange {
  let from: number = EVERY_ID.from;
  let below = belowId ?? EVERY_ID.below;
  for (const one of node.kind === 'all' ? node.nodes : [node]) {
    if (one.kind !== 'field' || one.value.type !== 'time') continue;
    const first = firstIdOf(one.value.at);
    if (one.value.comparison === '>=') from = Math.max(from, first);
    else below = Math.min(below, first + IDS_PER_MINUTE);
  }
  return { from, below };
}

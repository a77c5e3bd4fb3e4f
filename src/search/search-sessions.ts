import type { SearchAnswer, SearchQuery, SearchSort } from '../api/search.ts';
import { invalidCursor, toFuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import {
  type FoundSessionFacts,
  MAX_SEARCH_SESSIONS,
  type PlacesOfSession,
  type SearchIndex,
  type SearchNode,
} from '../domain/search.ts';
import { FIELDS } from '../domain/session-fields.ts';
import { type HitOptions, toHits } from './hits.ts';
import { collectPlaces, type FoundPlace } from './match-places.ts';
import { hasText, parseQuery } from './parse-query.ts';
import { type RankedSession, rank, rankSessions } from './rank-sessions.ts';

/** A search whose workspace is known. */
export interface SearchRequest extends Omit<SearchQuery, 'workspace'> {
  /** Null for all workspaces. */
  readonly workspaceId?: string | null;
}

/**
 * Runs a search: sessions, best or newest first, each with its best places. Errors: bad_query with the position; usage
 * for a cursor that is not ours.
 */
export async function searchSessions(
  index: SearchIndex,
  question: SearchRequest,
  clock: Clock,
  options: HitOptions = {},
): Promise<SearchAnswer> {
  const cursor = question.cursor === undefined ? null : decodeCursor(question.cursor);
  const now = cursor === null ? clock.now() : new Date(cursor.now);
  const asked = await index.resolveNames(parseQuery(question.q, { now, zone: question.zone }));
  const node = withinWorkspace(asked, question.workspaceId ?? null);
  const limit = Math.min(question.limit, MAX_SEARCH_SESSIONS);
  const page = { query: question.q, now, cursor, limit, sort: question.sort ?? 'relevance' };
  const shown = { ...options, hasLines: question.lines ?? false };
  return hasText(node) ? findInTexts(index, node, page, { ...shown, clock }) : listSessions(index, node, page, shown);
}

/** Applied to the parsed query, so that no query can leave the workspace. */
function withinWorkspace(node: SearchNode, workspaceId: string | null): SearchNode {
  if (workspaceId === null) return node;
  const workspace = { kind: 'field', field: 'workspace', value: { type: 'ids', ids: [workspaceId] } } as const;
  return { kind: 'all', nodes: [...(node.kind === 'all' ? node.nodes : [node]), workspace] };
}

interface Page {
  readonly query: string;
  readonly now: Date;
  readonly cursor: SearchCursor | null;
  readonly limit: number;
  readonly sort: SearchSort;
}

/** Without words, the result is a list of sessions; fields about places add the matching places. */
async function listSessions(
  index: SearchIndex,
  node: SearchNode,
  page: Page,
  options: HitOptions,
): Promise<SearchAnswer> {
  const last = page.cursor?.after ?? null;
  const rows = await index.findSessions(node, { after: last, limit: page.limit + 1 });
  const shown = rows.slice(0, page.limit);
  const end = shown.at(-1);
  return {
    query: page.query,
    sessions: await withPlaces(index, node, shown, { ...options, now: page.now }),
    total: { sessions: await index.countSessions(node), places: 0 },
    cut: null,
    next_cursor:
      rows.length > page.limit && end
        ? encodeCursor({
            now: page.now.toISOString(),
            belowId: null,
            after: { score: 0, started_at: end.started_at, session_id: end.session_id },
          })
        : null,
  };
}

async function withPlaces(
  index: SearchIndex,
  node: SearchNode,
  sessions: readonly FoundSessionFacts[],
  { now, ...options }: HitOptions & { readonly now: Date },
): Promise<SearchAnswer['sessions']> {
  const ids = sessions.map(({ session_id }) => session_id);
  const found = asksForPlaces(node) ? await readPlaces(index, node, ids) : new Map<string, PlacesWithTexts>();
  const ranked = sessions.map((facts) => {
    const { count, places } = found.get(facts.session_id) ?? { count: 0, places: [] };
    return { ...rank(facts, places, [], now), places: count };
  });
  return toFoundSessions(index, node, ranked, options);
}

/** Whether a query without words is about places in a session. */
export function asksForPlaces(node: SearchNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(asksForPlaces);
  return node.kind === 'field' && FIELDS[node.field].of === 'place';
}

interface PlacesWithTexts {
  readonly count: number;
  readonly places: readonly FoundPlace[];
}

/** The sessions are the result; places that take too long to find are omitted. */
export async function readPlaces(
  index: SearchIndex,
  node: SearchNode,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PlacesWithTexts>> {
  try {
    const found = await index.findPlacesOf(node, ids);
    const texts = await index.readTexts(found.flatMap(({ places }) => places));
    const withText = ({ places }: PlacesOfSession) =>
      places.flatMap((place) => {
        const stored = texts.get(place.id);
        return stored === undefined ? [] : [{ place, stored, text: stored.text, found: [] }];
      });
    return new Map(found.map((one) => [one.sessionId, { count: one.count, places: withText(one) }]));
  } catch (error) {
    if (toFuelError(error).code === 'timeout') return new Map();
    throw error;
  }
}

async function findInTexts(
  index: SearchIndex,
  node: SearchNode,
  page: Page,
  { clock, ...options }: HitOptions & { readonly clock: Clock },
): Promise<SearchAnswer> {
  const belowId = page.cursor?.belowId ?? null;
  const collected = await collectPlaces(index, node, belowId, clock);
  const ranked = await rankSessions(index, collected, page);
  const rest = ranked.sessions.slice(placesToSkip(ranked.sessions, page.cursor));
  const shown = rest.slice(0, page.limit);
  return {
    query: page.query,
    sessions: await toFoundSessions(index, node, shown, options),
    total: { sessions: ranked.sessions.length, places: ranked.places },
    cut: collected.cut,
    next_cursor: nextCursor(page, rest.length > page.limit ? shown.at(-1) : undefined, collected),
  };
}

function placesToSkip(sessions: readonly RankedSession[], cursor: SearchCursor | null): number {
  const after = cursor?.after;
  if (!after) return 0;
  const next = sessions.findIndex(
    ({ score, facts }) =>
      score < after.score ||
      (score === after.score &&
        (facts.started_at < after.started_at ||
          (facts.started_at === after.started_at && facts.session_id < after.session_id))),
  );
  return next < 0 ? sessions.length : next;
}

/** Continues within this batch of places; at its end, with the older places beyond the limit. */
function nextCursor(
  { now, cursor }: Page,
  last: RankedSession | undefined,
  { cut, lastId }: { readonly cut: unknown; readonly lastId: number | null },
): string | null {
  const start = { now: now.toISOString(), belowId: cursor?.belowId ?? null };
  if (last !== undefined) {
    const { started_at, session_id } = last.facts;
    return encodeCursor({ ...start, after: { score: last.score, started_at, session_id } });
  }
  return cut === null || lastId === null ? null : encodeCursor({ ...start, belowId: lastId, after: null });
}

async function toFoundSessions(
  index: SearchIndex,
  node: SearchNode,
  ranked: readonly RankedSession[],
  options: HitOptions,
): Promise<SearchAnswer['sessions']> {
  const all = ranked.flatMap(({ best }) => best);
  const hits = await toHits(index, node, all, options);
  let at = 0;
  return ranked.map(({ facts, places, best }) => ({ ...facts, places, hits: hits.slice(at, (at += best.length)) }));
}

/** Paging position; includes `now` so that recency is scored the same on every page. */
interface SearchCursor {
  readonly now: string;
  /** Only places below this id; newer ones were on the previous pages. */
  readonly belowId: number | null;
  readonly after: { readonly score: number; readonly started_at: string; readonly session_id: string } | null;
}

function encodeCursor({ now, belowId, after }: SearchCursor): string {
  const list = [now, belowId, after?.score ?? null, after?.started_at ?? null, after?.session_id ?? null];
  return btoa(encodeURIComponent(JSON.stringify(list)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Errors: usage for a cursor that is not ours. */
function decodeCursor(cursor: string): SearchCursor {
  const found = read(cursor);
  if (found !== null) return found;
  throw invalidCursor();
}

function read(cursor: string): SearchCursor | null {
  try {
    const text = decodeURIComponent(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));
    const [now, belowId, score, started_at, session_id] = JSON.parse(text) as unknown[];
    if (!isTime(now) || (belowId !== null && !Number.isSafeInteger(belowId))) return null;
    const start = { now, belowId: belowId as number | null };
    if (score === null) return { ...start, after: null };
    if (typeof score !== 'number' || !isTime(started_at) || !isId(session_id)) return null;
    return { ...start, after: { score, started_at, session_id } };
  } catch {
    // All broken cursors are treated alike.
    return null;
  }
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

import type { SearchAnswer, SearchQuery } from '../api/search.ts';
import type { Clock } from '../domain/ports.ts';
import { SEARCH_FIELDS } from '../domain/search-fields.ts';
import { MAX_SEARCH_SESSIONS, type SearchIndex, type SearchNode } from '../domain/search.ts';
import { decodeCursor, encodeCursor, type SearchCursor } from './cursor.ts';
import { createJudge } from './judge.ts';
import { parseQuery } from './parse-query.ts';
import { rankSessions, type RankedSession } from './rank-sessions.ts';
import { collectPlaces } from './collect-places.ts';
import { snippetOf } from './snippet.ts';

/** Replaces the secrets of a whole text. */
type Redact = (text: string) => string;

/**
 * Answers a search: sessions, best first, each with its best places.
 * With `redact`, snippets are cut out of redacted texts.
 * Errors: bad_query with the position; usage for a cursor that is not ours.
 */
export async function searchSessions(
  index: SearchIndex,
  question: SearchQuery,
  clock: Clock,
  redact?: Redact,
): Promise<SearchAnswer> {
  const cursor = question.cursor === undefined ? null : decodeCursor(question.cursor);
  const now = cursor === null ? clock.now() : new Date(cursor.now);
  const node = parseQuery(question.q, now);
  const limit = Math.min(question.limit, MAX_SEARCH_SESSIONS);
  const page = { query: question.q, now, cursor, limit };
  return isAboutSessions(node) ? listSessions(index, node, page) : findInTexts(index, node, page, { clock, redact });
}

interface Page {
  readonly query: string;
  readonly now: Date;
  readonly cursor: SearchCursor | null;
  readonly limit: number;
}

/** No word in it, and no field about a place: the answer is sessions, without places. */
function isAboutSessions(node: SearchNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.every(isAboutSessions);
  if (node.kind === 'not') return isAboutSessions(node.node);
  return node.kind === 'field' && SEARCH_FIELDS[node.field].of === 'session';
}

async function listSessions(index: SearchIndex, node: SearchNode, page: Page): Promise<SearchAnswer> {
  const last = page.cursor?.after ?? null;
  const rows = await index.findSessions(node, { after: last, limit: page.limit + 1 });
  const shown = rows.slice(0, page.limit);
  const end = shown.at(-1);
  return {
    query: page.query,
    sessions: shown.map((facts) => ({ ...facts, places: 0, hits: [] })),
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

async function findInTexts(
  index: SearchIndex,
  node: SearchNode,
  page: Page,
  { clock, redact }: { readonly clock: Clock; readonly redact: Redact | undefined },
): Promise<SearchAnswer> {
  const belowId = page.cursor?.belowId ?? null;
  const collected = await collectPlaces(index, node, belowId, clock);
  const ranked = await rankSessions(index, collected, page.now);
  const rest = ranked.sessions.slice(placesToSkip(ranked.sessions, page.cursor));
  const shown = rest.slice(0, page.limit);
  return {
    query: page.query,
    sessions: shown.map((session) =>
      toFoundSession(session, redact === undefined ? snippetOf : redacted(node, redact)),
    ),
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

/** On through this stretch of places; at its end, on to the older ones that the cut left out. */
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

/**
 * Cuts a snippet out of a redacted text. In a snippet the redactor would miss what the cut tore: half a token, or lines
 * of a key without its first one.
 */
function redacted(node: SearchNode, redact: Redact): typeof snippetOf {
  const judge = createJudge(node);
  return (text) => {
    const safe = redact(text);
    return snippetOf(safe, judge.find(safe));
  };
}

function toFoundSession(
  { facts, places, best }: RankedSession,
  cut: typeof snippetOf,
): SearchAnswer['sessions'][number] {
  const hits = best.map(({ place, stored, text, found }) => ({
    kind: place.kind,
    message_id: stored.ordinal === null ? null : place.messageId,
    ordinal: stored.ordinal,
    tool_name: stored.toolName,
    timestamp: stored.timestamp,
    ...cut(text, found),
  }));
  return { ...facts, places, hits };
}

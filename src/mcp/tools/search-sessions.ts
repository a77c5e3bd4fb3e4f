import type { FoundSession } from '../../api/search.ts';
import { MAX_SEARCH_CHARS } from '../../domain/search.ts';
import { plural } from '../../reading/format.ts';
import { joinFacts, oneLine, sessionFacts, titleLine } from '../text.ts';
import { cursor, defineTool, limit, line, workspace } from '../tool.ts';

const MAX_SNIPPET_CHARS = 240;

export const searchSessions = defineTool({
  name: 'search_sessions',
  title: 'Search past sessions',
  description: `Full-text search over past Claude Code sessions: prompts, answers, commands, their output, edits, titles and notes. Use it when the user refers to earlier work ("as we did last week"), before solving a problem that may have been solved before, or to find where something was decided.
Returns sessions, best first, each with its best matches as "#position kind: text". Read more with read_session (session and around).
Query: words must all occur in the same place; "exact phrase"; a OR b; -word; prefix*; /regex/i. Fields: type:prompt|answer|input|output|thinking, tool:Bash, exit>0, error:tool, file:part-of-path, branch:x, model:opus, after:7d, before:2026-11-01, has:commit, kind:debugging, cost>1. Fields alone list sessions, newest first. Example: "permission denied" tool:Bash exit>0 after:30d`,
  input: {
    query: line(MAX_SEARCH_CHARS).describe('What to search for; the syntax is in the description of this tool.'),
    workspace,
    limit: limit(20, 5),
    cursor,
  },
  run: async ({ query, workspace: asked, limit: count, cursor: from }, { get, scope, zone }) => {
    const where = await scope.filter(asked);
    const answer = await get('/search', { query: { q: query, limit: count, cursor: from, zone, ...where } });
    const { sessions, total, next_cursor: nextCursor } = answer;
    const place = await scope.describe(asked);
    if (sessions.length === 0 && nextCursor === null) return { text: nothing(place, asked, from) };
    const matches = total.places === 0 ? '' : `${plural(total.places, 'match', 'matches')} in `;
    const cut = answer.cut === null ? '' : ' so far; older sessions are on the next pages';
    const head = `${matches}${plural(total.sessions, 'session')} of ${place}${cut}.`;
    return { text: [head, ...sessions.map(sessionText)].join('\n\n'), nextCursor };
  },
});

function nothing(place: string, asked: string | undefined, from: string | undefined): string {
  if (from !== undefined) return 'No more matches.';
  const wider = asked === undefined ? ' Set workspace to "all" to search every workspace.' : '';
  return `No matches in ${place}.${wider} Fewer or other words may help.`;
}

function sessionText(session: FoundSession): string {
  const { session_id, hits, places } = session;
  const shown = hits.map(({ ordinal, kind, tool_name, snippet }) => {
    const where = [ordinal === null ? '' : `#${ordinal}`, kind, tool_name ?? ''].filter((part) => part !== '');
    return `   ${where.join(' ')}: ${oneLine(snippet, MAX_SNIPPET_CHARS)}`;
  });
  const more = places > hits.length ? [`   and ${plural(places - hits.length, 'more match', 'more matches')}`] : [];
  const facts = sessionFacts({ ...session, id: session_id });
  return [joinFacts(facts), `   ${titleLine(session)}`, ...shown, ...more].join('\n');
}

import type { SessionRow } from '../../api/sessions.ts';
import { MAX_SEARCH_CHARS } from '../../domain/search.ts';
import { formatDuration, plural } from '../../reading/format.ts';
import { joinFacts, oneLine, sessionFacts, titleLine } from '../text.ts';
import { cursor, defineTool, limit, line, workspace } from '../tool.ts';

const MAX_SUMMARY_CHARS = 300;

export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List past sessions',
  description: `Lists past Claude Code sessions, newest first, with title, time, branch, cost and a short summary. Use it for "what did we do yesterday", to find the session of a day, branch or file, or to get an overview of a workspace. To search for words, use search_sessions.
Filter with fields: after:7d, before:2026-11-01, branch:main, file:part-of-path, has:commit, has:error, is:live, kind:feature, model:opus, cost>1, title:"two words", tag:x; -field:value excludes.`,
  input: {
    filter: line(MAX_SEARCH_CHARS).optional().describe('Fields, for example: after:7d has:commit -kind:docs'),
    workspace,
    limit: limit(50, 10),
    cursor,
  },
  run: async ({ filter, workspace: asked, limit: count, cursor: from }, { get, scope, zone }) => {
    const where = await scope.filter(asked);
    // Not the short form of the list: it truncates texts, which may split a secret.
    const query = { q: filter, limit: count, cursor: from, zone, ...where };
    const { sessions, next_cursor: nextCursor } = await get('/sessions', { query });
    if (sessions.length === 0) {
      return {
        text: from === undefined ? `No sessions match in ${await scope.describe(asked)}.` : 'No more sessions.',
      };
    }
    const head = `Sessions of ${await scope.describe(asked)}, newest first.`;
    return { text: [head, ...sessions.map(sessionText)].join('\n\n'), nextCursor };
  },
});

function sessionText(session: SessionRow): string {
  const { duration_ms, user_messages, tool_use_count, work_kind, summary } = session;
  const figures = joinFacts(
    work_kind ?? '',
    duration_ms === null ? '' : formatDuration(duration_ms),
    user_messages === null ? '' : plural(user_messages, 'prompt'),
    tool_use_count === null ? '' : plural(tool_use_count, 'tool call'),
  );
  const lines = [titleLine(session), figures, oneLine(summary ?? '', MAX_SUMMARY_CHARS)];
  return [sessionFacts(session), ...lines.filter((text) => text !== '').map((text) => `   ${text}`)].join('\n');
}

import type { CommitPage } from '../../api/history.ts';
import { shortSha } from '../../domain/commits.ts';
import { formatTime, plural } from '../../reading/format.ts';
import { joinFacts, oneLine, titleLine } from '../text.ts';
import { cursor, date, defineTool, limit, line, workspace } from '../tool.ts';

const MAX_TEXT_CHARS = 500;
const MAX_MESSAGE_CHARS = 300;

export const listCommits = defineTool({
  name: 'list_commits',
  title: 'Commits and their sessions',
  description: `Lists git commits, newest first, with the Claude Code session each was made in. Use it to find the conversation behind a commit ("why was this changed?"), or which commits came out of past work. Then read the session with read_session. Commits made outside of sessions have none.`,
  input: {
    contains: line(MAX_TEXT_CHARS).optional().describe('Beginning of a commit hash, or words of a commit message.'),
    after: date.describe('At this time or later: 2026-11-01, 7d, yesterday.'),
    before: date.describe('Before this time.'),
    workspace,
    limit: limit(50, 15),
    cursor,
  },
  run: async ({ workspace: asked, ...filters }, { get, scope, zone }) => {
    const query = { ...filters, zone, ...(await scope.filter(asked)) };
    const { commits, next_cursor: nextCursor } = await get('/commits', { query });
    const place = await scope.describe(asked);
    if (commits.length === 0)
      return { text: filters.cursor === undefined ? `No commits in ${place}.` : 'No more commits.' };
    return { text: [`Commits of ${place}, newest first.`, ...commits.map(commitText)].join('\n\n'), nextCursor };
  },
});

function commitText(commit: CommitPage['commits'][number]): string {
  const { commit_sha, timestamp, branch, files_changed, insertions, deletions, message, session_id } = commit;
  const change = insertions === null && deletions === null ? '' : `+${insertions ?? 0} −${deletions ?? 0} lines`;
  const facts = joinFacts(
    commit_sha === null ? 'unknown hash' : shortSha(commit_sha),
    formatTime(timestamp),
    branch === null ? '' : `branch ${branch}`,
    files_changed === null ? '' : plural(files_changed, 'file'),
    change,
    commit.replaced_by === null ? '' : 'replaced by an amend or rebase',
  );
  const session =
    session_id === null
      ? 'outside of all sessions'
      : `session ${session_id}: ${titleLine({ title: commit.session_title })}`;
  return [facts, `   ${oneLine(message ?? '', MAX_MESSAGE_CHARS)}`, `   ${session}`].join('\n');
}

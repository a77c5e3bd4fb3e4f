import type { FileHistory } from '../../api/history.ts';
import type { FileStats } from '../../api/usage.ts';
import { MAX_WORK_ROWS } from '../../domain/requests.ts';
import { formatTime, plural } from '../../reading/format.ts';
import { joinFacts, titleLine, withoutHome } from '../text.ts';
import {
  cursor,
  cutRows,
  date,
  defineTool,
  limit,
  line,
  type ToolAnswer,
  type ToolContext,
  workspace,
} from '../tool.ts';

const MAX_PATH_CHARS = 500;

export const fileHistory = defineTool({
  name: 'file_history',
  title: 'Files and their history',
  description: `With a path: the sessions that read or changed this file, newest first, with lines added and removed. Use it before changing a file whose history is unclear ("why is this like that?"); then read the session. Without a path: the files that sessions changed most.
Only changes made by Claude's file tools are counted; for commits use list_commits.`,
  input: {
    path: line(MAX_PATH_CHARS).optional().describe('Path or part of it, for example src/store/engine.ts'),
    after: date.describe('Only sessions that started at this time or later: 2026-11-01, 7d, yesterday.'),
    workspace,
    limit: limit(50, 15),
    cursor,
  },
  run: async (args, context) => {
    const { path, ...rest } = args;
    return path === undefined ? mostChanged(rest, context) : historyOf(withoutHome(path), rest, context);
  },
});

interface Page {
  readonly after?: string | undefined;
  readonly workspace?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

async function historyOf(path: string, page: Page, { get, scope, zone }: ToolContext): Promise<ToolAnswer> {
  const { workspace: asked, ...paging } = page;
  const query = { path, zone, ...paging, ...(await scope.filter(asked)) };
  const { touches, next_cursor: nextCursor } = await get('/files/history', { query });
  const place = await scope.describe(asked);
  if (touches.length === 0) {
    const none = `No session in ${place} read or changed a file whose path contains this text.`;
    return { text: page.cursor === undefined ? none : 'No more sessions.' };
  }
  const head = `Sessions of ${place} that touched these files, newest first.`;
  return { text: [head, ...touches.map(touchText)].join('\n\n'), nextCursor };
}

function touchText(touch: FileHistory['touches'][number]): string {
  const { session_id, started_at, session_title, path } = touch;
  const head = joinFacts(`session ${session_id}`, formatTime(started_at), figures(touch));
  return [head, `   ${path}`, `   ${titleLine({ title: session_title })}`].join('\n');
}

type Figures = Pick<FileStats, 'reads' | 'writes' | 'lines_added' | 'lines_removed'>;

function figures({ reads, writes, lines_added, lines_removed }: Figures): string {
  const lines = lines_added + lines_removed === 0 ? '' : `+${lines_added} −${lines_removed} lines`;
  return joinFacts(writes === 0 ? '' : plural(writes, 'change'), lines, reads === 0 ? '' : plural(reads, 'read'));
}

async function mostChanged(page: Page, { get, scope, zone }: ToolContext): Promise<ToolAnswer> {
  const where = await scope.filter(page.workspace);
  const { files } = await get('/files', { query: { after: page.after, zone, limit: MAX_WORK_ROWS, ...where } });
  const { page: shown, nextCursor } = cutRows(files, page);
  const place = await scope.describe(page.workspace);
  if (shown.length === 0) return { text: `No file was read or changed in ${place}.` };
  const rows = shown.map((file) => {
    const sessions = `${plural(file.sessions, 'session')}, last ${formatTime(file.last_at)}`;
    return `${file.path}: ${joinFacts(figures(file), sessions)}`;
  });
  return { text: [`Files of ${place}, most changed first.`, '', ...rows].join('\n'), nextCursor };
}

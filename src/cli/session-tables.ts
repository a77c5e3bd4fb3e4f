import { MAX_PAGE_ROWS } from '../domain/page-rows.ts';
import type { DocumentPage, DocumentRow } from '../api/structure.ts';
import { visibleLine } from '../lib/visible.ts';
import { formatTime } from '../reading/format.ts';
import { allPages } from './all-pages.ts';
import { printJson } from './json.ts';
import type { GitActivityRow, StoredEvent } from '../api/activity.ts';
import type { Source } from './source.ts';
import { pullRequestText, replacedMark } from './git-text.ts';
import { renderTable } from './table.ts';
import { paint, type Terminal } from './terminal.ts';
import { safeLines } from './transcript/view.ts';
import { say } from './say.ts';

const SHA_CHARS = 10;

export async function showEvents(
  terminal: Terminal,
  source: Source,
  sessionId: string,
  isJson: boolean,
): Promise<void> {
  const events: StoredEvent[] = [];
  const fetch = (cursor: string | undefined) =>
    source.get('/sessions/:id/events', { params: { id: sessionId }, query: { limit: MAX_PAGE_ROWS, cursor } });
  for await (const page of allPages(fetch)) events.push(...page.events);
  if (isJson) return printJson(terminal, { events });
  if (events.length === 0) return say(terminal, 'No hook events for this session.');
  for (const { timestamp, type, data } of events) {
    terminal.out(`${formatTime(timestamp)}  ${visibleLine(type)}\n${indented(JSON.stringify(data, null, 2))}\n`);
  }
}

/** Never truncated: partial JSON is useless. */
function indented(json: string): string {
  return json
    .split('\n')
    .map((line) => `  ${visibleLine(line)}`)
    .join('\n');
}

/** Plan, to-do, task and memory files of a session, and its prompts as typed. */
export async function showDocuments(
  terminal: Terminal,
  source: Source,
  sessionId: string,
  isJson: boolean,
): Promise<void> {
  const documents: DocumentRow[] = [];
  for (let after: number | null = -1; after !== null; ) {
    const query = { after, limit: MAX_PAGE_ROWS };
    const page: DocumentPage = await source.get('/sessions/:id/documents', { params: { id: sessionId }, query });
    documents.push(...page.documents);
    after = page.next_after;
  }
  if (isJson) return printJson(terminal, { documents });
  if (documents.length === 0) return say(terminal, 'No plan, to-do, task or memory files for this session.');
  for (const [at, { kind, path, timestamp, text }] of documents.entries()) {
    const head = [kind, path, formatTime(timestamp)].filter((part) => part !== '').join('  ');
    terminal.out(
      `${at === 0 ? '' : '\n'}${paint(terminal, 'bold', visibleLine(head))}\n${safeLines(text).join('\n')}\n`,
    );
  }
}

export async function showSteps(terminal: Terminal, source: Source, sessionId: string, isJson: boolean): Promise<void> {
  const { steps } = await source.get('/sessions/:id/steps', { params: { id: sessionId } });
  if (isJson) return printJson(terminal, { steps });
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'STEP', text: ({ step }) => step },
        { title: 'OUTCOME', text: ({ outcome }) => outcome.replaceAll('_', ' ') },
        { title: 'MS', align: 'right' as const, text: ({ duration_ms }) => String(duration_ms) },
        { title: 'TRIES', align: 'right' as const, text: ({ attempts }) => String(attempts) },
        { title: 'WHEN', fromColumns: 80, text: ({ finished_at }) => formatTime(finished_at) },
        { title: 'ERROR', grows: true, text: ({ error }) => error ?? '' },
      ],
      steps,
    ),
  );
}

export async function showGit(terminal: Terminal, source: Source, sessionId: string, isJson: boolean): Promise<void> {
  const activity: GitActivityRow[] = [];
  const fetch = (cursor: string | undefined) =>
    source.get('/sessions/:id/git', { params: { id: sessionId }, query: { limit: MAX_PAGE_ROWS, cursor } });
  for await (const page of allPages(fetch)) activity.push(...page.git_activity);
  if (isJson) return printJson(terminal, { git_activity: activity });
  if (activity.length === 0) return say(terminal, 'No git activity found for this session.');
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'TIME', text: ({ timestamp }) => formatTime(timestamp) },
        { title: 'WHAT', text: ({ type }) => type },
        { title: 'BY', fromColumns: 60, text: ({ relation }) => (relation === 'own' ? 'session' : (relation ?? '')) },
        { title: 'BRANCH', fromColumns: 80, text: ({ branch }) => branch ?? '' },
        { title: 'COMMIT', text: ({ commit_sha }) => (commit_sha ?? '').slice(0, SHA_CHARS) },
        { title: 'MESSAGE', grows: true, text: (row) => `${replacedMark(row)}${row.message ?? pullRequestText(row)}` },
      ],
      activity,
    ),
  );
}

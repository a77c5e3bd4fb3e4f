import { EXPORT_SCHEMA_VERSION, type FolderFormat } from '../domain/requests.ts';
import { toCsv } from '../lib/csv.ts';
import { formatCost, formatDuration, plural } from '../reading/format.ts';
import { escapeInline, writeHeading } from '../reading/markdown-writer.ts';
import { utcTime } from '../reading/shown-session.ts';
import { html, markupOf } from '../share/page/html.ts';
import { documentHead } from '../share/page/style.ts';

/** A session in a folder of exports. */
export interface IndexedSession {
  readonly session_id: string;
  /** The name of its file in the folder. */
  readonly file: string;
  readonly title: string;
  readonly started_at: string;
  readonly workspace: string;
  readonly duration_ms: number | null;
  readonly cost_usd: number | null;
}

/** The list of a folder's exports with links to them, newest first, in the format of the exports. */
export function indexText(
  format: FolderFormat,
  given: readonly IndexedSession[],
  { isRedacted }: { readonly isRedacted: boolean },
): string {
  const sessions = given.toSorted(
    (a, b) => b.started_at.localeCompare(a.started_at) || a.session_id.localeCompare(b.session_id),
  );
  switch (format) {
    case 'md':
      return markdownIndex(sessions);
    case 'html':
      return htmlIndex(sessions);
    case 'csv':
      return toCsv([CSV_COLUMNS, ...sessions.map((session) => CSV_COLUMNS.map((column) => session[column]))]);
    case 'json':
      return `${JSON.stringify({ schema: 'fuel-code/export-index', schema_version: EXPORT_SCHEMA_VERSION, is_redacted: isRedacted, sessions }, null, 1)}\n`;
    default:
      return format satisfies never;
  }
}

const CSV_COLUMNS = [
  'session_id',
  'file',
  'title',
  'started_at',
  'workspace',
  'duration_ms',
  'cost_usd',
] as const satisfies readonly (keyof IndexedSession)[];

function factsOf({ started_at, workspace, duration_ms, cost_usd }: IndexedSession): readonly string[] {
  return [utcTime(started_at) ?? '', workspace, formatDuration(duration_ms), formatCost(cost_usd)];
}

const HEADS = ['Session', 'Started', 'Workspace', 'Duration', 'Cost'];

function markdownIndex(sessions: readonly IndexedSession[]): string {
  const rows = sessions.map((session) => {
    const link = `[${escapeInline(session.title)}](<${session.file}>)`;
    return `| ${[link, ...factsOf(session).map(escapeInline)].join(' | ')} |`;
  });
  const head = [`| ${HEADS.join(' | ')} |`, `|${' --- |'.repeat(HEADS.length)}`];
  return `${writeHeading(1, plural(sessions.length, 'session'))}\n\n${[...head, ...rows].join('\n')}\n`;
}

function htmlIndex(sessions: readonly IndexedSession[]): string {
  const rows = sessions.map((session) => {
    const cells = factsOf(session).map((fact) => html`<td>${fact}</td>`);
    return html`<tr><td><a href="${session.file}">${session.title}</a></td>${cells}</tr>\n`;
  });
  const title = plural(sessions.length, 'session');
  return markupOf(html`${documentHead(title)}<header class="top"><h1>${title}</h1></header>
<main><div class="wide"><table><thead><tr>${HEADS.map((name) => html`<th>${name}</th>`)}</tr></thead><tbody>
${rows}</tbody></table></div></main>
</body>
</html>
`);
}

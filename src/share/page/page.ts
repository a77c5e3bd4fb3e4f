import type { Get } from '../../api/table.ts';
import { FuelError } from '../../domain/errors.ts';
import { exportName } from '../../reading/names.ts';
import { formatCompact, formatCost, formatCount, formatDuration, plural, shortModel } from '../../reading/format.ts';
import { titleOf } from '../../reading/names.ts';
import type { Redactor } from '../../redact/redact.ts';
import { type Html, html, markupOf } from './html.ts';
import { clock, type RenderContext, renderSubagent, renderThread } from './thread.ts';
import { type RedactedReads, redactReads, type ShownSession } from './redacted-reads.ts';
import { PAGE_POLICY, STYLE_ELEMENT } from './style.ts';

export interface PageDeps {
  readonly get: Get;
  readonly redactor: Redactor;
  readonly now: () => Date;
}

/** A session as one HTML file that runs nothing, fetches nothing and contains only redacted text. */
export interface PageFile {
  readonly fileName: string;
  /** The file in pieces; only a few messages are held in memory. Can be read once. */
  readonly texts: AsyncIterable<string>;
}

export interface SessionPage extends PageFile {
  readonly sessionId: string;
  readonly title: string;
  /** Number of redactions by kind; complete after all texts were read. */
  readonly redacted: () => Readonly<Record<string, number>>;
}

/** Errors: not_found, ambiguous; usage for a session whose rows are archived. */
export async function openPage({ get, redactor, now }: PageDeps, idOrPrefix: string): Promise<SessionPage> {
  const redacted = redactReads(get, redactor);
  const session = await redacted.getSession(idOrPrefix);
  if (session.lifecycle === 'archived') {
    throw new FuelError('usage', 'The session is archived, so there is nothing to create a page from.', {
      hint: `Restore it first: \`fuel-code session ${session.id} --restore\`.`,
    });
  }
  return {
    sessionId: session.id,
    title: titleOf(session),
    fileName: exportName(session, 'html'),
    texts: renderPage(redacted, session, now),
    redacted: () => Object.fromEntries([...redacted.replaced].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

async function* renderPage(reads: RedactedReads, session: ShownSession, now: () => Date): AsyncGenerator<string> {
  const { id, cwd } = session;
  yield markupOf(head(session));
  const context: RenderContext = { reads, sessionId: id, cwd, parts: await reads.readParts(id), shown: new Set() };
  for await (const piece of renderThread(context, null)) yield markupOf(piece);
  for (const subagent of context.parts.subagents) {
    for await (const piece of renderSubagent(context, subagent, 0)) yield markupOf(piece);
  }
  yield markupOf(foot(reads.replaced, now()));
}

function head(session: ShownSession): Html {
  const title = titleOf(session);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="robots" content="noindex, nofollow, noarchive">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${STYLE_ELEMENT}
</head>
<body>
<header class="top"><h1 dir="auto">${title}</h1><dl class="facts">${factsOf(session)}</dl></header>
<main>
`;
}

function factsOf(session: ShownSession): readonly Html[] {
  const { models, workspace_name, git_branch, started_at, duration_ms, cost_estimate_usd } = session;
  const tokens = (session.tokens_in ?? 0) + (session.cache_read_tokens ?? 0) + (session.cache_write_tokens ?? 0);
  const facts: readonly (readonly [string, string | Html | null])[] = [
    ['Started', clock(started_at)],
    ['Duration', formatDuration(duration_ms)],
    ['Cost', formatCost(cost_estimate_usd)],
    ['Models', models.map(shortModel).join(', ') || null],
    ['Tokens', `${formatCompact(tokens)} in, ${formatCompact(session.tokens_out)} out`],
    ['Messages', formatCount(session.total_messages)],
    ['Tool calls', formatCount(session.tool_use_count)],
    ['Workspace', workspace_name],
    ['Branch', git_branch],
  ];
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`],
  );
}

function foot(replaced: ReadonlyMap<string, number>, now: Date): Html {
  const count = [...replaced.values()].reduce((sum, each) => sum + each, 0);
  const kinds = [...replaced].map(([kind, each]) => `${kind} ${each}`).toSorted();
  const redactions = count === 0 ? 'no secrets found' : `${plural(count, 'text')} replaced (${kinds.join(', ')})`;
  return html`</main>
<footer class="end">Created by fuel-code, ${clock(now.toISOString())}; ${redactions}.</footer>
</body>
</html>
`;
}

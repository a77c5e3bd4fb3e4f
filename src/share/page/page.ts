import type { Get } from '../../api/table.ts';
import { FuelError } from '../../domain/errors.ts';
import type { TurnRange } from '../../domain/turn-range.ts';
import { plural } from '../../reading/format.ts';
import { exportName, titleOf } from '../../reading/names.ts';
import { type Span, WHOLE } from '../../reading/read-messages.ts';
import { type ShownSession, shownFacts } from '../../reading/shown-session.ts';
import type { Redactor } from '../../redact/redact.ts';
import { type Html, html, markupOf } from './html.ts';
import { createPageImages, type ReadImage } from './images.ts';
import { type RedactedQueries, redactQueries } from './redacted-queries.ts';
import { documentHead } from './style.ts';
import { type RenderContext, renderSubagent, renderThread } from './thread.ts';

export interface PageDeps {
  readonly get: Get;
  readonly redactor: Redactor;
}

export interface PageOptions {
  /** Only these turns. */
  readonly turns?: TurnRange | null;
  /** Reads the images of the page; without it, images are only named. */
  readonly readImage?: ReadImage | null;
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
export async function openPage(
  { get, redactor }: PageDeps,
  idOrPrefix: string,
  { turns = null, readImage = null }: PageOptions = {},
): Promise<SessionPage> {
  const redacted = redactQueries(get, redactor);
  const session = await redacted.getSession(idOrPrefix);
  ensureRestored(session);
  const span = turns === null ? WHOLE : await redacted.findTurns(session.id, turns);
  return {
    sessionId: session.id,
    title: titleOf(session),
    fileName: exportName(session, 'html'),
    texts: renderPage(redacted, session, span, readImage),
    redacted: () => Object.fromEntries([...redacted.replaced].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Errors: usage for a session whose rows are archived. */
export function ensureRestored({ id, lifecycle }: Pick<ShownSession, 'id' | 'lifecycle'>): void {
  if (lifecycle !== 'archived') return;
  throw new FuelError('usage', 'The session is archived: its texts are not in the database.', {
    hint: `Restore it first: \`fuel-code session ${id} --restore\`.`,
  });
}

async function* renderPage(
  queries: RedactedQueries,
  session: ShownSession,
  span: Span,
  readImage: ReadImage | null,
): AsyncGenerator<string> {
  const { id: sessionId, cwd } = session;
  yield markupOf(head(session));
  const images = createPageImages(readImage);
  const parts = await queries.readParts(sessionId);
  const context: RenderContext = { queries, sessionId, cwd, parts, span, images, shown: new Set() };
  for await (const piece of renderThread(context, null)) yield markupOf(piece);
  // Of some turns, only the sub-agents that they started belong to the page.
  for (const subagent of span === WHOLE ? parts.subagents : []) {
    for await (const piece of renderSubagent(context, subagent, 0)) yield markupOf(piece);
  }
  yield markupOf(foot(queries.replaced, images.count()));
}

function head(session: ShownSession): Html {
  const title = titleOf(session);
  return html`${documentHead(title)}<header class="top"><h1 dir="auto">${title}</h1><dl class="facts">${factsOf(session)}</dl></header>
<main>
`;
}

function factsOf(session: ShownSession): readonly Html[] {
  return shownFacts(session).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`);
}

function foot(replaced: ReadonlyMap<string, number>, images: number): Html {
  const count = [...replaced.values()].reduce((sum, each) => sum + each, 0);
  const kinds = [...replaced].map(([kind, each]) => `${kind} ${each}`).toSorted();
  const redactions = count === 0 ? 'no secrets found' : `${plural(count, 'text')} replaced (${kinds.join(', ')})`;
  const unchecked = images === 0 ? '' : `; ${plural(images, 'image')} not checked for secrets`;
  return html`</main>
<footer class="end">Created by fuel-code; ${redactions}${unchecked}.</footer>
</body>
</html>
`;
}

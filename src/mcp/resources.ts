import { FuelError } from '../domain/errors.ts';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import { formatTime } from '../reading/format.ts';
import { titleLine } from './text.ts';
import type { ToolContext } from './tool.ts';
import { readSession } from './tools/read-session.ts';

const PREFIX = 'fuel-code://session/';
const MIME_TYPE = 'text/markdown';
const PAGE_ROWS = 50;
/** Resources are read whole, so they may be larger than the answers of tools. */
const RESOURCE_TOKENS = 8_000;

export const TEMPLATES = [
  {
    uriTemplate: `${PREFIX}{id}`,
    name: 'session',
    title: 'A past session',
    description: 'Facts, summary and turns of a past Claude Code session, by its id or a unique prefix of it.',
    mimeType: MIME_TYPE,
  },
];

/** The sessions of the current workspace, newest first, one page at a time. */
export async function listResources(cursor: string | undefined, { get, scope }: ToolContext) {
  const where = await scope.filter(undefined).catch(ifNoSessions);
  if (where === null) return { resources: [] };
  const { sessions, next_cursor } = await get('/sessions', { query: { limit: PAGE_ROWS, cursor, ...where } });
  const resources = sessions.map((session) => ({
    uri: PREFIX + session.id,
    name: session.id,
    title: titleLine(session),
    description: `${formatTime(session.started_at)}, ${session.workspace_name}`,
    mimeType: MIME_TYPE,
  }));
  return { resources, ...(next_cursor === null ? {} : { nextCursor: next_cursor }) };
}

/** An empty list is not an error. */
function ifNoSessions(error: unknown): null {
  if (error instanceof FuelError && error.code === 'not_found') return null;
  throw error;
}

/** Errors: not_found for anything but a session. */
export async function readResource(uri: string, context: ToolContext) {
  const id = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : '';
  if (!SESSION_ID_PATTERN.test(id)) {
    throw new FuelError('not_found', 'No such resource.', { hint: `Sessions have the form ${PREFIX}{id}.` });
  }
  const { text, nextCursor = null } = await readSession.run({ session: id, max_tokens: RESOURCE_TOKENS }, context);
  const more = nextCursor === null ? '' : '\n\nThere are more turns: use the tool read_session.';
  return { contents: [{ uri, mimeType: MIME_TYPE, text: text + more }] };
}

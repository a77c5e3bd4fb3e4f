import type { FoundSession } from '../../api/search.ts';
import { FuelError } from '../../domain/errors.ts';
import { type Aftermath, aftermathOf } from '../../reading/aftermath.ts';
import type { Entry, EntryOf } from '../../reading/entry.ts';
import { plural } from '../../reading/format.ts';
import { plainQuery } from '../../reading/query/plain-query.ts';
import { type Columns, hasFlag, isCall } from '../../reading/rows/columns.ts';
import { outcomeText, outputOf } from '../../reading/tool-call.ts';
import { indent, oneLine, sessionFacts, titleLine, withoutHome } from '../text.ts';
import { cursor, defineTool, limit, line, type ToolContext, workspace } from '../tool.ts';
import { type OpenedSession, openSession } from './read-session.ts';

const MAX_TOPIC_CHARS = 200;
const MAX_FILE_CHARS = 500;

export const findFailures = defineTool({
  name: 'find_failures',
  title: 'What was tried and failed before',
  description: `Finds failed commands, tests, edits and denied tool calls in past sessions, and what followed each: what Claude said, which files were changed, and whether the same thing worked later. Use it before retrying something that may have failed before, when an error looks familiar, or to learn what the user rejected.
Give a topic (words of the command or of its error output), a file, or both; without either, the newest failures. Positions such as #57 can be read with read_session (session and around).`,
  input: {
    topic: line(MAX_TOPIC_CHARS)
      .optional()
      .describe('Words of the command or its output, for example: npm test timeout'),
    file: line(MAX_FILE_CHARS).optional().describe('A path that the command, edit or output mentions.'),
    workspace,
    limit: limit(10, 3),
    cursor,
  },
  run: async ({ topic, file, workspace: asked, limit: count, cursor: from }, context) => {
    const { get, scope, zone } = context;
    const page = { limit: count, cursor: from, zone, ...(await scope.filter(asked)) };
    const search = async (words: string | undefined) => get('/search', { query: { q: queryOf(words, file), ...page } });
    // Error messages contain parentheses, quotes and colons, which mean something in the language of searches.
    const { sessions, next_cursor: nextCursor } = await search(topic).catch((error: unknown) => {
      if (topic === undefined || !(error instanceof FuelError) || error.code !== 'bad_query') throw error;
      return search(plainQuery(topic));
    });
    const place = await scope.describe(asked);
    const texts: string[] = [];
    for (const found of sessions) texts.push(await sessionText(found, context));
    const shown = texts.filter((text) => text !== '');
    if (shown.length === 0 && nextCursor === null) {
      const none = `No failed or denied call in ${place} matches. Fewer or other words may help.`;
      return { text: from === undefined ? none : 'No more failures.' };
    }
    return { text: [`Failed and denied calls in ${place} and what followed.`, ...shown].join('\n\n'), nextCursor };
  },
});

const FAILED = '(error:tool OR error:denied OR exit>0)';

/** The whole query must not be longer than a search may be. */
function queryOf(topic: string | undefined, file: string | undefined): string {
  const parts = [
    topic === undefined || topic === '' ? '' : `(${topic})`,
    file === undefined ? '' : fileQuery(file),
    FAILED,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const MAX_PATH_CHARS = 64;

/** Calls that mention the file, or its name in a session that touched it: a test has the name, but not the path. */
function fileQuery(file: string): string {
  const path = endOf(withoutHome(file).replaceAll('"', ' ').trim());
  const stem = /([\p{L}\p{N}_-]{3,})[^/]*$/u.exec(path)?.[1];
  if (!/[\p{L}\p{N}]/u.test(path)) return '';
  return stem === undefined ? `"${path}"` : `("${path}" OR (file:"${path}" "${stem}"))`;
}

/** The last parts of a path that fit into a query. */
function endOf(path: string): string {
  if (path.length <= MAX_PATH_CHARS) return path;
  const end = path.slice(-MAX_PATH_CHARS);
  return end.slice(end.indexOf('/') + 1);
}

async function sessionText(found: FoundSession, context: ToolContext): Promise<string> {
  const session = await openSession(found.session_id, context);
  const ordinals = found.hits.flatMap(({ ordinal }) => ordinal ?? []);
  const calls = [...new Set(ordinals.flatMap((ordinal) => failedCalls(session.columns, ordinal)))];
  const texts: string[] = [];
  for (const item of calls.toSorted((a, b) => a - b)) texts.push(await failureText(session, item));
  const shown = texts.filter((text) => text !== '');
  if (shown.length === 0) return '';
  return [sessionFacts({ ...found, id: found.session_id }), `   ${titleLine(found)}`, ...shown].join('\n');
}

/**
 * The failed calls of a message, or those whose results are in it; all of its calls if none is marked as failed. The
 * copied beginning of a fork is shown with the session it was copied from.
 */
function failedCalls(columns: Columns, ordinal: number): readonly number[] {
  const items = Array.from({ length: columns.count }, (_, item) => item);
  const isThere = (item: number) => columns.ordinal[item] === ordinal || columns.result[item] === ordinal;
  const calls = items.filter((item) => isThere(item) && isCall(columns, item) && !hasFlag(columns, item, 'inherited'));
  const failed = calls.filter((item) => hasFlag(columns, item, 'error') || hasFlag(columns, item, 'denied'));
  return failed.length > 0 ? failed : calls;
}

async function failureText(session: OpenedSession, item: number): Promise<string> {
  const entry = await session.reader.entryOf(item);
  if (entry?.kind !== 'tool') return '';
  const { call, message } = entry;
  const head = `#${message.ordinal} ${call.name} ${oneLine(call.about, MAX_ABOUT_CHARS)} (${outcomeText(call) || 'failed'})`;
  const { stdout, stderr } = outputOf(call);
  const output = excerpt([stdout, stderr].filter((text) => text !== '').join('\n'));
  const following = await entriesAfter(session, item);
  const after = afterText(aftermathOf(call, following), following.length);
  return indent([head, ...(output === '' ? [] : [indent(output)]), ...after].join('\n'));
}

/** How far a conversation is followed after a failure. */
const MAX_ITEMS_AFTER = 30;

async function entriesAfter({ columns, reader }: OpenedSession, item: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let next = item + 1; next < columns.count && entries.length < MAX_ITEMS_AFTER; next += 1) {
    if (columns.agent[next] !== columns.agent[item]) continue;
    const entry = await reader.entryOf(next);
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

const MAX_ABOUT_CHARS = 160;
const MAX_SAID_CHARS = 240;
const MAX_FILES = 5;

function afterText({ said, asked, changed, failures, success }: Aftermath, steps: number): readonly string[] {
  const files = changed.slice(0, MAX_FILES).join(', ');
  const more = changed.length > MAX_FILES ? ` and ${changed.length - MAX_FILES} more` : '';
  return [
    said === null ? '' : `Claude then said: ${oneLine(said, MAX_SAID_CHARS)}`,
    asked === null ? '' : `The user then said: ${oneLine(asked, MAX_SAID_CHARS)}`,
    files === '' ? '' : `Changed: ${files}${more}`,
    success === null ? unsolvedText(steps, failures) : successText(success, failures),
  ].filter((text) => text !== '');
}

/** Covers only the entries that were read: it may have worked later, or elsewhere. */
function unsolvedText(steps: number, failures: number): string {
  if (steps === 0) return 'The conversation ended there.';
  const again = failures === 0 ? '' : `, ${plural(failures, 'more failed attempt')}`;
  return `In the next ${plural(steps, 'step')}: no success of the same call${again}.`;
}

function successText({ call, message }: EntryOf<'tool'>, failures: number): string {
  const again = failures === 0 ? '' : ` after ${plural(failures, 'more failed attempt')}`;
  return `Worked${again}: #${message.ordinal} ${call.name} ${oneLine(call.about, MAX_ABOUT_CHARS)}`;
}

const FIRST_LINES = 3;
const LAST_LINES = 5;
const MAX_LINE_CHARS = 200;

/** The beginning and the end of an output: errors are in one of them. */
function excerpt(output: string): string {
  const lines = output.split('\n').filter((text) => text.trim() !== '');
  const left = lines.length - FIRST_LINES - LAST_LINES;
  const shown = left <= 1 ? lines : [...lines.slice(0, FIRST_LINES), `… ${left} lines …`, ...lines.slice(-LAST_LINES)];
  return shown.map((text) => oneLine(text, MAX_LINE_CHARS)).join('\n');
}

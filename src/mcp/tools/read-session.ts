import { z } from 'zod';
import type { Outline } from '../../api/outline.ts';
import type { SessionDetail } from '../../api/sessions.ts';
import { MAX_POSITION } from '../../api/values.ts';
import { FuelError } from '../../domain/errors.ts';
import { SESSION_ID_PATTERN } from '../../domain/session.ts';
import { formatDuration, formatNanos, formatTime, plural } from '../../reading/format.ts';
import { noSuchTurn } from '../../reading/read-messages.ts';
import { type Columns, itemAt, readColumns } from '../../reading/rows/columns.ts';
import { createItemReader, type ItemReader, itemsAround, itemText, type Place, readSlice } from '../slice.ts';
import { joinFacts, oneLine, sessionFacts, titleLine } from '../text.ts';
import { cursor, decodeCursor, defineTool, encodeCursor, type ToolAnswer, type ToolContext } from '../tool.ts';

const MIN_TOKENS = 200;
const MAX_TOKENS = 20_000;
export const DEFAULT_TOKENS = 4_000;
const MAX_PROMPT_CHARS = 200;
const MAX_SUMMARY_CHARS = 2_000;

export const sessionId = z
  .string()
  .regex(SESSION_ID_PATTERN, 'must be a session id or the beginning of one')
  .describe('Session id or a unique prefix of it.');

export const readSession = defineTool({
  name: 'read_session',
  title: 'Read a past session',
  description: `Reads one past Claude Code session. With only the session: facts, summary and its turns (prompts with number, position and outcome). With turn: that prompt and everything after it up to the next one. With around: the conversation around a position ("#57" in the results of search_sessions and find_failures). Text is Markdown; [#57] is the position of a message. Answers keep to max_tokens; the cursor at the end continues exactly where the answer stopped.`,
  input: {
    session: sessionId,
    turn: z.int().min(1).max(MAX_POSITION).optional().describe('Number of a turn, from 1.'),
    around: z.int().min(0).max(MAX_POSITION).optional().describe('Position of a message.'),
    max_tokens: z
      .int()
      .min(MIN_TOKENS)
      .max(MAX_TOKENS)
      .default(DEFAULT_TOKENS)
      .describe(`Size of the answer in tokens (default ${DEFAULT_TOKENS}).`),
    cursor,
  },
  run: async ({ session, turn, around, max_tokens: tokens, cursor: text }, context) => {
    if (turn !== undefined && around !== undefined) {
      throw new FuelError('usage', 'Use either `turn` or `around`, not both.');
    }
    const opened = await openSession(session, context);
    const request = { tokens, from: text === undefined ? null : decodeCursor(text, 2) };
    if (turn !== undefined) return readTurn(opened, turn, request);
    return around === undefined ? readOverview(opened, request) : readAround(opened, around, request);
  },
});

export interface OpenedSession {
  readonly detail: SessionDetail;
  readonly outline: Outline;
  readonly columns: Columns;
  readonly reader: ItemReader;
  textOf(item: number): Promise<string>;
}

/** Errors: not_found, ambiguous; conflict for an archived session. */
export async function openSession(session: string, { get }: Pick<ToolContext, 'get'>): Promise<OpenedSession> {
  const detail = await get('/sessions/:id', { params: { id: session } });
  const outline = await get('/sessions/:id/outline', { params: { id: detail.id } });
  const columns = readColumns(outline);
  const { id, cwd } = detail;
  const reader = createItemReader(get, { id, cwd, columns, agents: outline.agents.map(({ agent_id }) => agent_id) });
  return { detail, outline, columns, reader, textOf: (item) => itemText(reader, columns, item) };
}

interface Request {
  readonly tokens: number;
  /** Item and character, from a cursor. */
  readonly from: readonly number[] | null;
}

function placeOf({ from }: Request, first: number): Place {
  return from === null ? { item: first, char: 0 } : { item: from[0] ?? 0, char: from[1] ?? 0 };
}

async function slice(session: OpenedSession, items: readonly number[], request: Request): Promise<ToolAnswer> {
  const from = placeOf(request, items[0] ?? 0);
  const { text, next } = await readSlice(items, session.textOf, { from, tokens: request.tokens });
  const shown = text === '' ? 'There is nothing more to show.' : text.trimEnd();
  return { text: shown, nextCursor: next === null ? null : encodeCursor([next.item, next.char]) };
}

/** Turns of the main conversation, in order; sub-agents have turns of their own. */
function mainTurns({ turns }: Outline): readonly number[] {
  return turns.id.map((_, at) => at).filter((at) => turns.agent[at] === MAIN);
}

const MAIN = -1;

function itemsOf({ columns }: OpenedSession, isWanted: (item: number) => boolean): readonly number[] {
  return Array.from({ length: columns.count }, (_, item) => item).filter(isWanted);
}

async function readTurn(session: OpenedSession, number: number, request: Request): Promise<ToolAnswer> {
  const turns = mainTurns(session.outline);
  const turn = turns[number - 1];
  if (turn === undefined) throw noSuchTurn(number, turns.length);
  const { columns } = session;
  const items = itemsOf(session, (item) => columns.turn[item] === turn && columns.agent[item] === MAIN);
  return slice(session, items, request);
}

async function readAround(session: OpenedSession, position: number, request: Request): Promise<ToolAnswer> {
  const { columns, textOf } = session;
  const center = itemAt(columns, position);
  if (center < 0) return { text: 'The session has no messages.' };
  const agent = columns.agent[center];
  const items = itemsOf(session, (item) => columns.agent[item] === agent);
  if (request.from !== null) return slice(session, items, request);
  return slice(session, await itemsAround(items, center, { textOf, tokens: request.tokens }), request);
}

async function readOverview(session: OpenedSession, request: Request): Promise<ToolAnswer> {
  const turns = mainTurns(session.outline);
  const facts = request.from === null ? overviewText(session.detail, turns.length) : '';
  const textOf = async (at: number) => `${await turnText(session, turns[at] as number, at + 1)}\n`;
  const places = turns.map((_, at) => at);
  const from = placeOf(request, 0);
  const tokens = Math.max(MIN_TOKENS, request.tokens - Math.ceil(facts.length / 2));
  const { text, next } = await readSlice(places, textOf, { from, tokens });
  const shown = [facts, text.trimEnd()].filter((part) => part !== '').join('\n\n');
  return { text: shown, nextCursor: next === null ? null : encodeCursor([next.item, next.char]) };
}

export function overviewText(detail: SessionDetail, turns: number): string {
  const { ended_at, duration_ms, models, tool_use_count, subagent_count, summary, notes, tags, cwd } = detail;
  const figures = joinFacts(
    plural(turns, 'turn'),
    tool_use_count === null ? '' : plural(tool_use_count, 'tool call'),
    subagent_count ? plural(subagent_count, 'sub-agent') : '',
    duration_ms === null ? '' : formatDuration(duration_ms),
    models.join(', '),
    ended_at === null ? 'still running' : '',
  );
  return [
    `# ${titleLine(detail)}`,
    sessionFacts(detail),
    figures,
    cwd === null ? '' : `Folder: ${cwd}`,
    tags.length === 0 ? '' : `Tags: ${tags.join(', ')}`,
    summary === null ? '' : `Summary: ${oneLine(summary, MAX_SUMMARY_CHARS)}`,
    ...notes.map(({ text }) => `Note: ${oneLine(text, MAX_SUMMARY_CHARS)}`),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

async function turnText(session: OpenedSession, turn: number, number: number): Promise<string> {
  const { turns } = session.outline;
  const at = (column: readonly (number | null)[]) => column[turn] ?? 0;
  const time = turns.time[turn] ?? null;
  const cost = turns.cost[turn] ?? null;
  const figures = joinFacts(
    time === null ? '' : formatTime(new Date(time).toISOString()),
    at(turns.tool_calls) === 0 ? '' : plural(at(turns.tool_calls), 'tool call'),
    at(turns.tool_errors) === 0 ? '' : `${at(turns.tool_errors)} failed`,
    at(turns.files_written) === 0 ? '' : `${plural(at(turns.files_written), 'file')} changed`,
    at(turns.commits) === 0 ? '' : plural(at(turns.commits), 'commit'),
    cost === null ? '' : formatNanos(cost),
    at(turns.branch) === 1 ? 'abandoned when the conversation was rewound' : '',
  );
  return `Turn ${number} [#${at(turns.ordinal)}] ${figures}\n   ${await promptText(session, turn)}`;
}

/** From the whole message: the excerpt in the outline is truncated, which may split a secret. */
async function promptText({ columns, reader, outline }: OpenedSession, turn: number): Promise<string> {
  const item = itemAt(columns, outline.turns.ordinal[turn] ?? -1);
  const entry = item < 0 ? null : await reader.entryOf(item);
  const text = entry !== null && (entry.kind === 'prompt' || entry.kind === 'command') ? entry.text : '';
  return oneLine(text, MAX_PROMPT_CHARS) || '(no text)';
}

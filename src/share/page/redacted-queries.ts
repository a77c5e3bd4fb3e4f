import type { SessionDetail } from '../../api/sessions.ts';
import type { Get } from '../../api/table.ts';
import type { BlockRow, MessageRow } from '../../api/transcript.ts';
import type { JsonValue } from '../../domain/transcript.ts';
import type { TurnRange } from '../../domain/turn-range.ts';
import { plainOutput } from '../../reading/ansi.ts';
import { withoutTerminalCodes } from '../../reading/format.ts';
import { indexParts, readParts, type SessionParts } from '../../reading/parts.ts';
import { readMainTurns, readMessages, type Span, spanOf } from '../../reading/read-messages.ts';
import { SHOWN_COLUMNS, type ShownSession } from '../../reading/shown-session.ts';
import type { Redactor } from '../../redact/redact.ts';
import { redactCut } from '../../redact/redact-cut.ts';

/** The data of a page with every text redacted, whichever field it is in. A page has no access to anything else. */
export interface RedactedQueries {
  getSession(idOrPrefix: string): Promise<ShownSession>;
  /** The messages of a sub-agent in order; null is the main conversation. */
  readThread(sessionId: string, agentId: string | null, from: number): AsyncGenerator<MessageRow>;
  /** Errors: not_found. */
  findTurns(sessionId: string, turns: TurnRange): Promise<Span>;
  readParts(sessionId: string): Promise<SessionParts>;
  /** Number of redactions so far, by kind. */
  readonly replaced: ReadonlyMap<string, number>;
}

export function redactQueries(get: Get, redactor: Redactor): RedactedQueries {
  const replaced = new Map<string, number>();
  const redact = <T extends object>(row: T): T => {
    const fields = Object.entries(row).map(([column, value]) => [
      column,
      redactField(redactor, value as JsonValue, replaced, column),
    ]);
    return Object.fromEntries(fields) as T;
  };
  return {
    replaced,
    getSession: async (idOrPrefix) =>
      redactSession(await get('/sessions/:id', { params: { id: idOrPrefix } }), redact, redactor),
    readThread: async function* (sessionId, agentId, from) {
      const messages = readMessages(get, sessionId, { agentId, from, pageRows: PAGE_ROWS });
      for await (const message of messages) yield redactMessage(message, redact);
    },
    findTurns: async (sessionId, turns) => spanOf(await readMainTurns(get, sessionId), turns),
    readParts: (sessionId) => readRedactedParts(get, sessionId, redact),
  };
}

/**
 * Redacts one value of a row and counts what was replaced. Terminal codes may terminate a secret or split it. Text with
 * codes is therefore redacted twice: with them, where they separate a secret from the words around it, and without them,
 * as the reader sees it.
 */
export function redactField(
  redactor: Redactor,
  value: JsonValue,
  replaced: Map<string, number>,
  name: string,
): JsonValue {
  const redactValue = (given: JsonValue) => {
    const { value: safe, replaced: counts } = redactor.json(given);
    for (const [kind, count] of counts) replaced.set(kind, (replaced.get(kind) ?? 0) + count);
    return safe;
  };
  const safe = redactValue(value);
  return hasCodes(safe) ? redactValue(withoutCodes(safe, name)) : safe;
}

function hasCodes(value: JsonValue): boolean {
  if (typeof value === 'string') return withoutTerminalCodes(value) !== value;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasCodes);
}

/** Output of commands. In any other text, a carriage return is the end of a line. */
const OUTPUTS: ReadonlySet<string> = new Set(['result_text', 'stderr']);

function withoutCodes(value: JsonValue, name: string): JsonValue {
  if (typeof value === 'string') return OUTPUTS.has(name) ? plainOutput(value) : withoutTerminalCodes(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutCodes(item, name));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutCodes(item, key)]));
}

/** Redacts each value of a row separately, because column names must not be taken for names of secrets. */
type Redact = <T extends object>(row: T) => T;

function redactSession(session: SessionDetail, redact: Redact, redactor: Redactor): ShownSession {
  const shown = Object.fromEntries(SHOWN_COLUMNS.map((column) => [column, session[column]]));
  const safe = { ...redact(shown as ShownSession), id: session.id };
  return safe.title === null ? safe : { ...safe, title: redactCut(redactor, safe.title) };
}

/** Number of messages held in memory. */
const PAGE_ROWS = 50;

/**
 * Ids link calls to results and are never shown. They are not redacted, because two ids that look like secrets would
 * become equal.
 */
function redactMessage(message: MessageRow, redact: Redact): MessageRow {
  const { content_blocks, ...rest } = message;
  const blocks = content_blocks.map((block) => {
    const { tool_use_id, tool_result_id } = block;
    return { ...redact({ ...block, call: withoutPatch(block.call) }), tool_use_id, tool_result_id };
  });
  return { ...redact(rest), content_blocks: blocks };
}

/**
 * A patch is a list of lines, in which a key that spans lines would not be recognized, and it contains lines of the file
 * that the conversation does not mention. The page shows the input of the call instead.
 */
function withoutPatch(call: BlockRow['call']): BlockRow['call'] {
  return call === null ? null : { ...call, patch: null };
}

/** Calls and branches have no visible text; the ids of sub-agents and compactions link them to messages. */
async function readRedactedParts(get: Get, sessionId: string, redact: Redact): Promise<SessionParts> {
  const { subagents, compactions, ...rest } = await readParts(get, sessionId);
  return indexParts({
    ...rest,
    subagents: subagents.map((row) => {
      const { agent_id, spawning_tool_use_id } = row;
      return { ...redact(row), agent_id, spawning_tool_use_id };
    }),
    compactions: compactions.map((row) => ({ ...redact(row), id: row.id })),
  });
}

import {
  MAX_PAGE_ROWS,
  type MessageRow,
  type SessionDetail,
  type TranscriptPage,
  type TranscriptQuery,
} from '../../domain/query.ts';
import type { JsonValue } from '../../domain/transcript.ts';
import { withoutTerminalCodes } from '../../reading/format.ts';
import type { Redactor } from '../../redact/redact.ts';
import type { Part, PartPage, PartQuery } from '../../store/queries/transcript/parts.ts';

export type Subagent = Part<'subagents'>;

/** What a page tells of a session besides its messages; summaries, notes, tags and devices are not for others. */
const TOLD_COLUMNS = [
  'id',
  'lifecycle',
  'title',
  'initial_prompt',
  'workspace_name',
  'git_branch',
  'cwd',
  'models',
  'started_at',
  'duration_ms',
  'cost_estimate_usd',
  'total_messages',
  'tool_use_count',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
] as const satisfies readonly (keyof SessionDetail)[];

export type ToldSession = Pick<SessionDetail, (typeof TOLD_COLUMNS)[number]>;

/** What a page is made of. */
export interface PageReads {
  getSession(idOrPrefix: string): Promise<SessionDetail>;
  getTranscript(idOrPrefix: string, query: TranscriptQuery): Promise<TranscriptPage>;
  listParts(table: 'subagents', idOrPrefix: string, query: Omit<PartQuery, 'where'>): Promise<PartPage<'subagents'>>;
}

/** The same with every text redacted, whatever field it stands in, so that nothing can be shown that was not. */
export interface RedactedReads {
  getSession(idOrPrefix: string): Promise<ToldSession>;
  /** The messages of a sub-agent in order; null is the main conversation. */
  readThread(sessionId: string, agentId: string | null): AsyncGenerator<MessageRow>;
  readSubagents(sessionId: string): Promise<readonly Subagent[]>;
  /** How much was replaced until now, by kind. */
  readonly replaced: ReadonlyMap<string, number>;
}

export function redactReads(reads: PageReads, redactor: Redactor): RedactedReads {
  const replaced = new Map<string, number>();
  const redact = <T extends object>(row: T): T => {
    const fields = Object.entries(row).map(([column, value]) => {
      const safe = redactValue(value as JsonValue);
      return [column, hasCodes(safe) ? redactValue(withoutCodes(safe)) : safe];
    });
    return Object.fromEntries(fields) as T;
  };
  function redactValue(value: JsonValue): JsonValue {
    const { value: safe, replaced: counts } = redactor.json(value);
    for (const [kind, count] of counts) replaced.set(kind, (replaced.get(kind) ?? 0) + count);
    return safe;
  }
  return {
    replaced,
    getSession: async (idOrPrefix) => redactSession(await reads.getSession(idOrPrefix), redact),
    readThread: (sessionId, agentId) => readThread(reads, sessionId, agentId, redact),
    readSubagents: (sessionId) => readSubagents(reads, sessionId, redact),
  };
}

/**
 * Terminal codes may end a secret or stand within it. So a text with codes is redacted twice: with them, where they
 * separate a secret from the words around it, and without them, as the reader of the page sees it.
 */
function hasCodes(value: JsonValue): boolean {
  if (typeof value === 'string') return withoutTerminalCodes(value) !== value;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasCodes);
}

function withoutCodes(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutTerminalCodes(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutCodes);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutCodes(item)]));
}

/** A row, each of its values for itself: the names of our own columns are no names of secrets. */
type Redact = <T extends object>(row: T) => T;

function redactSession(session: SessionDetail, redact: Redact): ToldSession {
  const told = Object.fromEntries(TOLD_COLUMNS.map((column) => [column, session[column]]));
  return { ...redact(told as ToldSession), id: session.id };
}

/** Messages held at a time. */
const PAGE_ROWS = 50;

async function* readThread(
  reads: PageReads,
  sessionId: string,
  agentId: string | null,
  redact: Redact,
): AsyncGenerator<MessageRow> {
  let after: number | null = -1;
  while (after !== null) {
    const page = await reads.getTranscript(sessionId, { after, limit: PAGE_ROWS, agentIds: [agentId] });
    for (const message of page.messages) if (message.agent_id === agentId) yield redactMessage(message, redact);
    after = page.next_after;
  }
}

/** Ids tie calls to results and are never shown: two that look like secrets must not become the same one. */
function redactMessage(message: MessageRow, redact: Redact): MessageRow {
  const { content_blocks, ...rest } = message;
  const blocks = content_blocks.map((block) => {
    const { tool_use_id, tool_result_id } = block;
    return { ...redact(block), tool_use_id, tool_result_id };
  });
  return { ...redact(rest), content_blocks: blocks };
}

async function readSubagents(reads: PageReads, sessionId: string, redact: Redact): Promise<readonly Subagent[]> {
  const all: Subagent[] = [];
  let after: number | null = -1;
  while (after !== null) {
    const page: PartPage<'subagents'> = await reads.listParts('subagents', sessionId, { after, limit: MAX_PAGE_ROWS });
    for (const row of page.rows) {
      const { agent_id, spawning_tool_use_id } = row;
      all.push({ ...redact(row), agent_id, spawning_tool_use_id });
    }
    after = page.next_after;
  }
  return all;
}

import type { SessionDetail } from '../../api/sessions.ts';
import type { Get } from '../../api/table.ts';
import type { MessageRow } from '../../api/transcript.ts';
import type { TurnRange } from '../../domain/turn-range.ts';
import { indexParts, readParts, type SessionParts } from '../../reading/parts.ts';
import {
  isWithin,
  type MainTurn,
  readMainTurns,
  readMessages,
  type Span,
  spanOf,
  WHOLE,
} from '../../reading/read-messages.ts';
import type { ShownSession } from '../../reading/shown-session.ts';
import { ensureRestored } from '../page/page.ts';

/**
 * The data that every format is written from. All of it comes through `get`, which redacts unless raw data was requested.
 */
export interface SessionExport {
  readonly get: Get;
  readonly session: SessionDetail;
  readonly parts: SessionParts;
  readonly turns: readonly MainTurn[];
  /** The part of the main conversation to export. */
  readonly span: Span;
  /** Rows with their ids as they are shown. */
  readonly showIds: <T>(rows: T) => T;
}

/** Errors: not_found, ambiguous; usage for a session whose rows are archived. */
export async function openSession(get: Get, idOrPrefix: string, range: TurnRange | null): Promise<SessionExport> {
  const session = await get('/sessions/:id', { params: { id: idOrPrefix } });
  ensureRestored(session satisfies ShownSession);
  const turns = await readMainTurns(get, session.id);
  const span = range === null ? WHOLE : spanOf(turns, range);
  const parts = indexParts(await readParts(get, session.id));
  return { get, session, parts, turns, span, showIds: (rows) => rows };
}

/** Positions of the prompts of turns → their numbers, from 1. */
export function turnNumbers({ turns }: Pick<SessionExport, 'turns'>): ReadonlyMap<number, number> {
  return new Map(turns.map(({ ordinal }, at) => [ordinal, at + 1]));
}

/** The exported messages: all of them in order, or those of the turns and then those of the sub-agents that they started. */
export function exportedMessages(given: SessionExport): AsyncGenerator<MessageRow> {
  return given.span === WHOLE ? readMessages(given.get, given.session.id) : messagesOfTurns(given);
}

async function* messagesOfTurns({ get, session, parts, span }: SessionExport): AsyncGenerator<MessageRow> {
  const waiting: string[] = [];
  const known = new Set<string>();
  const take = ({ content_blocks }: MessageRow) => {
    for (const { tool_use_id } of content_blocks) {
      for (const { agent_id } of tool_use_id === null ? [] : (parts.startedBy.get(tool_use_id) ?? [])) {
        if (!known.has(agent_id)) waiting.push(agent_id);
        known.add(agent_id);
      }
    }
  };
  for await (const message of readMessages(get, session.id, { agentId: null, from: span.from })) {
    if (!isWithin(span, message)) break;
    take(message);
    yield message;
  }
  for (let agentId = waiting.shift(); agentId !== undefined; agentId = waiting.shift()) {
    for await (const message of readMessages(get, session.id, { agentId })) {
      take(message);
      yield message;
    }
  }
}

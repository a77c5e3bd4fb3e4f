import type { Get } from '../api/table.ts';
import type { MessageRow, TranscriptPage } from '../api/transcript.ts';
import { FuelError } from '../domain/errors.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import type { TurnRange } from '../domain/turn-range.ts';
import { plural } from './format.ts';

export interface MessageQuery {
  /** Only one conversation; null is the main one. */
  readonly agentId?: string | null;
  /** Position of the first message. */
  readonly from?: number;
  /** Messages read at once. */
  readonly pageRows?: number;
}

/** Messages in order, read page by page, with texts as long as the rows hold them. */
export async function* readMessages(get: Get, id: string, query: MessageQuery = {}): AsyncGenerator<MessageRow> {
  const { agentId, from = 0, pageRows = MAX_PAGE_ROWS } = query;
  const only = agentId === undefined ? {} : { agent_id: [agentId ?? 'main'] };
  for (let after: number | null = from - 1; after !== null; ) {
    const page: TranscriptPage = await get('/sessions/:id/transcript', {
      params: { id },
      query: { after, limit: pageRows, ...only },
    });
    for (const message of page.messages) {
      // An agent may be called `main`.
      if (agentId !== undefined && message.agent_id !== agentId) continue;
      yield isCut(message) ? await readFull(get, id, message) : message;
    }
    after = page.next_after;
  }
}

export function isCut({ content_blocks }: MessageRow): boolean {
  return content_blocks.some(({ metadata }) => metadata['truncated'] === true);
}

async function readFull(get: Get, id: string, message: MessageRow): Promise<MessageRow> {
  const query = { after: message.ordinal - 1, limit: 1, full: true };
  const page = await get('/sessions/:id/transcript', { params: { id }, query });
  return page.messages.find((each) => each.id === message.id) ?? message;
}

/** A turn of the main conversation: its prompt, and the position of the prompt. */
export interface MainTurn {
  readonly id: string;
  readonly ordinal: number;
}

/** The turns of the main conversation in order; the first one is number 1 everywhere. */
export async function readMainTurns(get: Get, id: string): Promise<readonly MainTurn[]> {
  const { turns } = await get('/sessions/:id/outline', { params: { id } });
  const all = turns.id.map((turn, at) => ({ id: turn, ordinal: turns.ordinal[at] ?? 0, agent: turns.agent[at] }));
  return all.flatMap(({ agent, ...turn }) => (agent === MAIN ? [turn] : []));
}

const MAIN = -1;

/** Positions in a session, without `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const WHOLE: Span = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Where these turns are. Errors: not_found. */
export function spanOf(turns: readonly MainTurn[], { first, last }: TurnRange): Span {
  const start = turns[first - 1];
  if (start === undefined) throw noSuchTurn(first, turns.length);
  return { from: start.ordinal, to: turns[last]?.ordinal ?? WHOLE.to };
}

export function noSuchTurn(number: number, turns: number): FuelError {
  return new FuelError('not_found', `There is no turn ${number}: the session has ${plural(turns, 'turn')}.`);
}

export function isWithin({ from, to }: Span, { ordinal }: Pick<MessageRow, 'ordinal'>): boolean {
  return ordinal >= from && ordinal < to;
}

import {
  chooseForEach,
  chooseOwners,
  type Comparison,
  type Holders,
  type SharedMessage,
} from '../../domain/ownership.ts';
import type { ApiMessage } from './api-messages.ts';
import { AGENT, ECHO, INHERITED, type UsageRow } from './usage-rows.ts';

/**
 * What whole sessions say about the messages they share. The scan sees only lines with usage, which do not tell an
 * original from its copy; that matters only where usage is told by session.
 */
export interface SessionJudge {
  readonly compare: Comparison;
  /** Sessions beyond the scanned files that hold a message of this id. */
  holdersBeyond(messageId: string): readonly string[];
  /** Whether the session's own lines say that they come from another session. */
  isInherited(sessionId: string, messageId: string): boolean;
}

/** The session that counts each message which several sessions hold; messages of one session are not in the map. */
export function judgedOwners(
  messages: readonly ApiMessage[],
  { compare, holdersBeyond, isInherited }: SessionJudge,
): ReadonlyMap<ApiMessage, string> {
  const held = new Map<ApiMessage, Holders>();
  for (const message of messages) {
    const scanned = holdersOf(message).map(({ sessionId }) => sessionId);
    const ids = new Set([...scanned, ...holdersBeyond(message.id)]);
    if (ids.size > 1) held.set(message, new Map([...ids].map((id) => [id, isInherited(id, message.id)])));
  }
  return chooseForEach(held, compare);
}

/** Sessions that share a message with another. */
export function sessionsThatShare(messages: readonly ApiMessage[]): ReadonlySet<string> {
  return new Set(messages.filter(isShared).flatMap((message) => holdersOf(message).map((row) => row.sessionId)));
}

/**
 * The same from the scanned lines alone: enough for all groups but sessions, whose sums do not depend on it. `othersOf`
 * gives the other messages of sessions, which tell how these went on.
 */
export function ownersOf(
  messages: readonly ApiMessage[],
  othersOf: (sessions: ReadonlySet<string>) => readonly SharedMessage[],
): ReadonlyMap<ApiMessage, string> {
  const shared = messages.filter(isShared);
  if (shared.length === 0) return new Map();
  const keys = new Map(shared.map((message, index) => [message, String(index)]));
  const sessions = sessionsThatShare(shared);
  const held = messages.flatMap((message) => {
    const usageKey = keys.get(message) ?? null;
    const rows = holdersOf(message).filter((row) => sessions.has(row.sessionId));
    return rows.map((row) => asShared(row, usageKey));
  });
  const owners = chooseOwners([...held, ...othersOf(sessions)]);
  return new Map([...keys].map(([message, key]) => [message, owners.get(key) ?? message.best.sessionId]));
}

/** Who has the message itself goes before who only repeats it. */
export function holdersOf(message: ApiMessage): readonly UsageRow[] {
  const { rows } = message;
  if (rows.length === 1) return rows;
  const own = rows.filter((row) => (row.marks & ECHO) === 0);
  return own.length > 0 ? own : rows;
}

function isShared(message: ApiMessage): boolean {
  if (message.rows.length === 1) return false;
  const holders = holdersOf(message);
  return holders.some((row) => row.sessionId !== holders[0]?.sessionId);
}

function asShared(row: UsageRow, usageKey: string | null): SharedMessage {
  return {
    sessionId: row.sessionId,
    ordinal: row.order,
    id: row.id,
    isMainThread: (row.marks & AGENT) === 0,
    usageKey,
    timestampMs: row.startMs < 0 ? null : row.startMs,
    isInherited: (row.marks & INHERITED) !== 0,
  };
}

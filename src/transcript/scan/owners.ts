import { chooseOwners, type SharedMessage } from '../../domain/ownership.ts';
import type { ApiMessage } from './api-messages.ts';
import { AGENT, ECHO, INHERITED, type UsageRow } from './usage-rows.ts';

/**
 * The session that counts each message which several sessions hold, by the rule of domain/ownership.ts; messages of one
 * session are not in the map. `othersOf` gives the other messages of sessions, which tell how these went on.
 * The scan sees only lines with usage, so a copy that got no answer of its own yet cannot be told from an original that
 * ended there. Sums over all sessions do not depend on it.
 */
export function ownersOf(
  messages: readonly ApiMessage[],
  othersOf: (sessions: ReadonlySet<string>) => readonly SharedMessage[],
): ReadonlyMap<ApiMessage, string> {
  const shared = messages.filter(isShared);
  if (shared.length === 0) return new Map();
  const keys = new Map(shared.map((message, index) => [message, String(index)]));
  const sessions = new Set(shared.flatMap((message) => holdersOf(message).map((row) => row.sessionId)));
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
    timestampMs: row.timeMs < 0 ? null : row.timeMs,
    isInherited: (row.marks & INHERITED) !== 0,
  };
}

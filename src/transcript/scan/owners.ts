import { chooseOwners, type SharedMessage } from '../../domain/ownership.ts';
import type { ApiMessage } from './api-messages.ts';
import { ECHO, INHERITED, type ScanFile, type UsageRow } from './usage-rows.ts';

/** The session that counts each message which several sessions hold; the others are not in the map. */
export function ownersOf(
  messages: readonly ApiMessage[],
  files: readonly ScanFile[],
): ReadonlyMap<ApiMessage, string> {
  const shared = messages.filter(isShared);
  if (shared.length === 0) return new Map();
  const keys = new Map<UsageRow, string>();
  for (const [index, message] of shared.entries()) {
    for (const row of holdersOf(message)) keys.set(row, String(index));
  }
  const sessions = new Set([...keys.keys()].map((row) => row.sessionId));
  const held = messages.flatMap((message) => message.rows.filter((row) => sessions.has(row.sessionId)));
  const owners = chooseOwners(asSharedMessages(held, keys, files));
  return new Map(shared.map((message, index) => [message, owners.get(String(index)) ?? message.best.sessionId]));
}

/** Rows of one session in the order of its lines; of its sub-agents' files only what is shared. */
function asSharedMessages(
  rows: readonly UsageRow[],
  keys: ReadonlyMap<UsageRow, string>,
  files: readonly ScanFile[],
): readonly SharedMessage[] {
  return rows
    .filter((row) => keys.has(row) || files[row.file]?.role === 'main')
    .map((row) => ({
      sessionId: row.sessionId,
      ordinal: row.order,
      usageKey: keys.get(row) ?? null,
      timestampMs: row.timeMs < 0 ? null : row.timeMs,
      isInherited: (row.marks & INHERITED) !== 0,
    }));
}

function isShared(message: ApiMessage): boolean {
  if (message.rows.length === 1) return false;
  const holders = holdersOf(message);
  return holders.some((row) => row.sessionId !== holders[0]?.sessionId);
}

/** Who has the message itself goes before who only repeats it. */
export function holdersOf(message: ApiMessage): readonly UsageRow[] {
  const own = message.rows.filter((row) => (row.marks & ECHO) === 0);
  return own.length > 0 ? own : message.rows;
}

import {
  type Comparison,
  chooseForEach,
  chooseOwners,
  type Holders,
  type SharedMessage,
} from '../../domain/ownership.ts';
import {
  AGENT,
  ASIDE,
  ECHO,
  INHERITED,
  isFuller,
  type RowColumns,
  rowCount,
  rowReader,
  type UsageRow,
} from './usage-rows.ts';

/** One API message, regardless of how many files and lines record it. */
export interface ApiMessage {
  readonly id: string;
  readonly requestId: string | null;
  /** The most complete row; its usage counts. */
  best: UsageRow;
  readonly rows: UsageRow[];
  /** The same id under another request. */
  readonly next: ApiMessage | null;
}

/**
 * Groups rows into API messages, each counted once:
 * - An API message is identified by its message id. A row without a request id belongs to it; the same id under several
 *   request ids is several messages.
 * - Exception: a side question, or another sub-agent that starts from the conversation, repeats messages under its own
 *   request id. If several threads have an id, the main thread's records count, otherwise those of one sub-agent file.
 * - A message repeated by an agent_progress line counts only if it is recorded nowhere else.
 * The result does not depend on the order of the rows.
 */
export function apiMessagesOf(rows: Iterable<UsageRow>): readonly ApiMessage[] {
  const byId = new Map<string, ApiMessage>();
  const withoutRequest: UsageRow[] = [];
  const echoes: UsageRow[] = [];
  const echoesWithoutRequest: UsageRow[] = [];
  for (const row of rows) {
    if ((row.marks & ECHO) !== 0) (row.requestId === null ? echoesWithoutRequest : echoes).push(row);
    else if (row.requestId === null) withoutRequest.push(row);
    else place(byId, row, 'apart');
  }
  for (const row of withoutRequest) place(byId, row, 'together');
  for (const row of echoes) place(byId, row, hasRecord(byId.get(row.id)) ? 'together' : 'apart');
  for (const row of echoesWithoutRequest) place(byId, row, 'together');
  const messages: ApiMessage[] = [];
  for (const first of byId.values()) {
    if (first.next === null) messages.push(first);
    else messages.push(...withoutReplays(first));
  }
  return messages;
}

/**
 * Adds a row to the message with its id and request; if there is none, on its own or to the fullest one with its id.
 */
function place(byId: Map<string, ApiMessage>, row: UsageRow, otherwise: 'apart' | 'together'): void {
  const first = byId.get(row.id);
  const known = first === undefined ? null : requestOf(first, row.requestId);
  if (known !== null) join(known, row);
  else if (first !== undefined && otherwise === 'together') join(fullest(first), row);
  else byId.set(row.id, { id: row.id, requestId: row.requestId, best: row, rows: [row], next: first ?? null });
}

function hasRecord(first: ApiMessage | undefined): boolean {
  if (first === undefined) return false;
  return [...requestsOf(first)].some((message) => message.rows.some((row) => (row.marks & ECHO) === 0));
}

function join(message: ApiMessage, row: UsageRow): void {
  message.rows.push(row);
  const other = message.best;
  const best = isFuller(row, other) ? row : other;
  // A line that names no model leaves it to the other lines of the message.
  message.best = best.model === '' ? { ...best, model: row.model || other.model } : best;
}

function* requestsOf(first: ApiMessage): Generator<ApiMessage> {
  for (let message: ApiMessage | null = first; message !== null; message = message.next) yield message;
}

function requestOf(first: ApiMessage, requestId: string | null): ApiMessage | null {
  for (const message of requestsOf(first)) if (message.requestId === requestId) return message;
  return null;
}

function fullest(first: ApiMessage): ApiMessage {
  return [...requestsOf(first)].reduce((a, b) => (isFullerMessage(b, a) ? b : a));
}

function isFullerMessage(a: ApiMessage, b: ApiMessage): boolean {
  if (isFuller(a.best, b.best) || isFuller(b.best, a.best)) return isFuller(a.best, b.best);
  return (a.requestId ?? '') < (b.requestId ?? '');
}

function withoutReplays(first: ApiMessage): readonly ApiMessage[] {
  const requests = [...requestsOf(first)];
  const main = requests.filter((message) => !isOfAgent(message));
  if (main.length > 0) return main;
  const rows = requests.flatMap((message) => message.rows);
  const origin = rows.reduce((a, b) => (threadRank(b) < threadRank(a) ? b : a)).file;
  return requests.filter((message) => message.rows.some((row) => row.file === origin));
}

/** Larger than any number of files. */
const BEHIND_ALL_FILES = 2 ** 40;

/** Sub-agent files before those of side questions, then in file order. */
function threadRank(row: UsageRow): number {
  return row.file + ((row.marks & ASIDE) === 0 ? 0 : BEHIND_ALL_FILES);
}

/** A message belongs to the main conversation if any of its rows does. */
export function isOfAgent(message: ApiMessage): boolean {
  return message.rows.every((row) => (row.marks & AGENT) !== 0);
}

/**
 * Knowledge of whole sessions about the messages they share. The scan sees only lines with usage, which cannot
 * distinguish an original from its copy; that matters only for usage by session.
 */
export interface SessionJudge {
  readonly compare: Comparison;
  /** Sessions outside the scanned files that contain a message with this id. */
  holdersBeyond(messageId: string): readonly string[];
  /** Whether the session's own lines state that they come from another session. */
  isInherited(sessionId: string, messageId: string): boolean;
}

/** Assigns each message that several sessions contain to the session that counts it; others are not in the map. */
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

/** Sessions that share a message with another session. */
export function sessionsThatShare(messages: readonly ApiMessage[]): ReadonlySet<string> {
  return new Set(messages.filter(isShared).flatMap((message) => holdersOf(message).map((row) => row.sessionId)));
}

/**
 * The same based on the scanned lines alone. Sufficient for every grouping except by session, since other sums do not
 * depend on it. `othersOf` returns the other messages of sessions, which show how these continued.
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

/** Rows that contain the message itself; if there are none, rows that repeat it. */
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

/** Whether scanned files contain an API message: the same id, and the same request if both have one. */
export function heldMessages(parts: readonly RowColumns[]): (id: string, requestId: string | null) => boolean {
  const requests = new Map<string, Set<string | null>>();
  for (const columns of parts) {
    const rowAt = rowReader(columns);
    for (let index = 0; index < rowCount(columns); index += 1) {
      const { id, requestId } = rowAt(index);
      const known = requests.get(id);
      if (known === undefined) requests.set(id, new Set([requestId]));
      else known.add(requestId);
    }
  }
  return (id, requestId) => {
    const held = requests.get(id);
    return held !== undefined && (requestId === null || held.has(requestId) || held.has(null));
  };
}

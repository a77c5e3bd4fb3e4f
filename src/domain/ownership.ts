import type { MessageOrigin, TranscriptMessage } from './transcript.ts';

/**
 * Which session a message belongs to when several sessions contain it. Forks and resumes copy the lines of another session,
 * with the same ids and times, to the beginning of their own file. A message belongs to the session in which it first
 * appeared: only that session counts it. Both the usage scan and the store use this file.
 * Totals over all sessions do not depend on the choice.
 */
export interface SharedMessage {
  readonly sessionId: string;
  readonly ordinal: number;
  /** The same in every copy. */
  readonly id: string;
  /** Sub-agents come after the main conversation, whatever their times, so they say nothing about its order. */
  readonly isMainThread: boolean;
  /** The API message; null for a message without usage. */
  readonly usageKey: string | null;
  readonly timestampMs: number | null;
  /** The line itself says that it comes from another session. */
  readonly isInherited: boolean;
  /** The session it says it comes from. */
  readonly copiedFrom?: string | null;
  /** Number of its first line in the file. */
  readonly lineNumber?: number;
  readonly step?: Step | null;
}

/** A prompt starts a turn, an answer continues one, any other user line may do either; null for notes of the client. */
export type Step = 'prompt' | 'answer' | 'unclear';

/** What is known about a session besides its messages. */
export interface SessionSigns {
  /** The latest time of the lines before the first message, which are written when the file is created. */
  readonly leadMs: number | null;
  /** Its start event reports a fork. */
  readonly isFork: boolean;
  readonly firstArchivedMs: number | null;
}

export const NO_SIGNS: SessionSigns = { leadMs: null, isFork: false, firstArchivedMs: null };

/** Prompts start turns, answers continue them. */
const STEPS: ReadonlyMap<MessageOrigin, Step> = new Map<MessageOrigin, Step>([
  ['human', 'prompt'],
  ['queued', 'prompt'],
  ['command', 'prompt'],
  ['bash_input', 'prompt'],
  ['task_notification', 'prompt'],
  ['teammate', 'prompt'],
  ['model', 'answer'],
  ['tool_result', 'answer'],
  ['meta', 'unclear'],
  ['command_output', 'unclear'],
  ['bash_output', 'unclear'],
  ['compact_summary', 'unclear'],
]);

export function stepOf(origin: MessageOrigin): Step | null {
  return STEPS.get(origin) ?? null;
}

/** The id by which messages of several sessions are compared; an id derived from a position is unique to its session. */
export function comparableId(
  sessionId: string,
  { id, uuid }: { readonly id: string; readonly uuid: string | null },
): string {
  return uuid === null ? `${sessionId} ${id}` : id;
}

/** Converts a parsed message, to compare it with those of other sessions. */
export function toShared(sessionId: string, message: TranscriptMessage): SharedMessage {
  const { timestamp } = message;
  return {
    sessionId,
    ordinal: message.ordinal,
    id: comparableId(sessionId, message),
    isMainThread: message.agentId === null,
    usageKey: message.usage === null ? null : message.usageKey,
    timestampMs: timestamp === null || Number.isNaN(Date.parse(timestamp)) ? null : Date.parse(timestamp),
    isInherited: message.copiedFrom !== null,
    copiedFrom: message.copiedFrom,
    lineNumber: message.lines[0]?.line ?? 0,
    step: stepOf(message.origin),
  };
}

/** What makes two messages copies of each other. */
export function identityOf({ usageKey, id }: Pick<SharedMessage, 'usageKey' | 'id'>): string {
  return usageKey ?? id;
}

/** The owner of each usage key that occurs in more than one session. */
export function chooseOwners(
  messages: readonly SharedMessage[],
  signs: ReadonlyMap<string, SessionSigns> = new Map(),
): ReadonlyMap<string, string> {
  const withUsage = messages.filter(({ usageKey }) => usageKey !== null);
  return chooseAmong(withUsage, createComparison(messages, signs));
}

/** The owner of each message, by identity, that occurs in more than one session. */
export function chooseAmong(messages: readonly SharedMessage[], compare: Comparison): ReadonlyMap<string, string> {
  const held = new Map<string, Holders>();
  for (const [key, copies] of Map.groupBy(messages, identityOf)) held.set(key, holdersOf(copies));
  return chooseForEach(held, compare);
}

/** The sessions that contain a message, each with whether all of its copies name another session as their origin. */
export type Holders = ReadonlyMap<string, boolean>;

function holdersOf(held: readonly SharedMessage[]): Holders {
  const holders = new Map<string, boolean>();
  for (const { sessionId, isInherited } of held) {
    holders.set(sessionId, isInherited && (holders.get(sessionId) ?? true));
  }
  return holders;
}

/** Up to this many sessions are compared in pairs. */
const MAX_ALL_PAIRS = 8;

/**
 * The owner of each message that several sessions contain. Messages with the same candidates are decided together, and
 * small sets of candidates before larger ones, whose comparisons can then be reused. The order is fixed, so the order of
 * the import does not matter.
 */
export function chooseForEach<Key>(held: ReadonlyMap<Key, Holders>, compare: Comparison): ReadonlyMap<Key, string> {
  const groups = new Map<string, { readonly ids: readonly string[]; readonly keys: Key[] }>();
  for (const [key, holders] of held) {
    if (holders.size < 2) continue;
    const ids = candidatesOf(holders);
    const name = ids.join(' ');
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { ids, keys: [key] });
    else group.keys.push(key);
  }
  const losses = new Map<string, string>();
  const owners = new Map<Key, string>();
  for (const [, { ids, keys }] of [...groups].toSorted(bySizeAndName)) {
    const owner = ids.length <= MAX_ALL_PAIRS ? winnerOfAllPairs(ids, compare) : winnerInSequence(ids, compare, losses);
    for (const key of keys) owners.set(key, owner);
  }
  return owners;
}

function bySizeAndName(
  [a, { ids: idsA }]: readonly [string, { readonly ids: readonly string[] }],
  [b, { ids: idsB }]: readonly [string, { readonly ids: readonly string[] }],
): number {
  return idsA.length - idsB.length || (a < b ? -1 : 1);
}

/** A session whose copies name their origin loses to one without such copies. */
function candidatesOf(holders: Holders): readonly string[] {
  const all = [...holders.keys()].toSorted();
  const own = all.filter((id) => holders.get(id) === false);
  return own.length > 0 ? own : all;
}

/** The session that wins most comparisons; ties go to the smaller id. */
function winnerOfAllPairs(ids: readonly string[], compare: Comparison): string {
  let best = { id: ids[0] as string, wins: -1 };
  for (const id of ids) {
    const wins = ids.filter((other) => other !== id && compare(id, other).order < 0).length;
    if (wins > best.wins) best = { id, wins };
  }
  return best.id;
}

/**
 * The same for large families, where comparing every pair would take too long: each session is compared with the best one
 * so far. A session that has already lost to another candidate is skipped. `losses` records who lost to whom, and grows.
 */
function winnerInSequence(ids: readonly string[], compare: Comparison, losses: Map<string, string>): string {
  const present = new Set(ids);
  const hasLost = (id: string) => present.has(losses.get(id) ?? '');
  const open = ids.filter((id) => !hasLost(id));
  // Comparisons are not necessarily transitive.
  const [first = '', ...others] = open.length > 0 ? open : ids;
  return others.reduce((best, id) => {
    const isBetter = compare(best, id).order > 0;
    losses.set(isBetter ? best : id, isBetter ? id : best);
    return isBetter ? id : best;
  }, first);
}

interface Verdict {
  /** Below 0 when the first session is the original, above 0 when it is the copy. */
  readonly order: number;
  /** False when only the times of the next messages could decide. */
  readonly isCertain: boolean;
}

export type Comparison = (a: string, b: string) => Verdict;

/** One of two sessions that share messages. */
interface Side {
  readonly id: string;
  readonly signs: SessionSigns;
  /** Messages of the main conversation that both contain, in order. */
  readonly shared: readonly SharedMessage[];
  /** The messages after the last of them. */
  readonly rest: readonly SharedMessage[];
}

/** Decides which of two sessions is the original and which the copy. */
export function createComparison(
  messages: readonly SharedMessage[],
  signs: ReadonlyMap<string, SessionSigns>,
): Comparison {
  const bySession = Map.groupBy(messages, ({ sessionId }) => sessionId);
  const threads = new Map([...bySession].map(([id, own]) => [id, mainThread(own)]));
  const keys = new Map([...threads].map(([id, thread]) => [id, new Set(thread.map(identityOf))]));
  const side = (id: string, other: string): Side => {
    const thread = threads.get(id) ?? [];
    const theirs = keys.get(other) ?? new Set();
    const isShared = (message: SharedMessage) => theirs.has(identityOf(message));
    const rest = thread.slice(thread.findLastIndex(isShared) + 1);
    return { id, signs: signs.get(id) ?? NO_SIGNS, shared: thread.filter(isShared), rest };
  };
  const known = new Map<string, Verdict>();
  const verdictOn = (a: string, b: string) => {
    const key = `${a} ${b}`;
    const verdict = known.get(key) ?? judge(side(a, b), side(b, a));
    known.set(key, verdict);
    return verdict;
  };
  return (a, b) => (a <= b ? verdictOn(a, b) : reverse(verdictOn(b, a)));
}

function reverse({ order, isCertain }: Verdict): Verdict {
  return { order: -order, isCertain };
}

function mainThread(messages: readonly SharedMessage[]): SharedMessage[] {
  return messages.filter(({ isMainThread }) => isMainThread).toSorted((a, b) => a.ordinal - b.ordinal);
}

type Rule = (a: Side, b: Side) => number;

/** Below 0 when this rule considers `a` the original, 0 when it does not apply. The first rule that applies decides. */
const CERTAIN_RULES: readonly Rule[] = [
  byStatedOrigin,
  byForkEvent,
  byLead,
  byLines,
  byArchive,
  byContinuedTurn,
  byAbandonment,
];

function judge(a: Side, b: Side): Verdict {
  for (const rule of CERTAIN_RULES) {
    const order = rule(a, b);
    if (order !== 0) return { order, isCertain: true };
  }
  return { order: byNextTime(a, b), isCertain: false };
}

/** `forkedFrom`, or a line that kept the id of the session it was copied from. */
function byStatedOrigin(a: Side, b: Side): number {
  const names = (side: Side, other: string) => side.shared.some(({ copiedFrom }) => copiedFrom === other);
  const isMarked = (side: Side) => side.shared.some(({ isInherited }) => isInherited);
  const byName = Number(names(a, b.id)) - Number(names(b, a.id));
  return byName === 0 ? Number(isMarked(a)) - Number(isMarked(b)) : byName;
}

function byForkEvent(a: Side, b: Side): number {
  return Number(a.signs.isFork) - Number(b.signs.isFork);
}

/**
 * The client writes some lines before it copies: if these are later than the lines that follow, the file is a copy. If
 * both are copies of a session that is not stored, the older one is the original.
 */
function byLead(a: Side, b: Side): number {
  const isLate = ({ signs: { leadMs }, shared }: Side) =>
    leadMs !== null && shared.length > 0 && shared.every(({ timestampMs }) => (timestampMs ?? 0) < leadMs);
  const [isLateA, isLateB] = [isLate(a), isLate(b)];
  if (isLateA && isLateB) return (a.signs.leadMs ?? 0) - (b.signs.leadMs ?? 0);
  return Number(isLateA) - Number(isLateB);
}

/** Between messages, the client writes lines without an id, which are never copied: the original is longer. */
function byLines(a: Side, b: Side): number {
  const [mine, theirs] = [spanOf(a), spanOf(b)];
  return mine === null || theirs === null ? 0 : theirs - mine;
}

/** Lines from the first shared message to the last; null where they are not in the order of one file. */
function spanOf({ shared }: Side): number | null {
  const lines = shared.map(({ lineNumber }) => lineNumber ?? 0);
  const isOrdered = lines.every((line, at) => at === 0 || line > (lines[at - 1] as number));
  return isOrdered && lines.length > 1 ? (lines.at(-1) as number) - (lines[0] as number) : null;
}

/** A session that was archived before the other one had any messages of its own is not a copy of it. */
function byArchive(a: Side, b: Side): number {
  const precedes = ({ signs: { firstArchivedMs } }: Side, other: Side) => {
    const own = other.rest.find(({ timestampMs }) => timestampMs !== null)?.timestampMs ?? null;
    return firstArchivedMs !== null && own !== null && firstArchivedMs < own;
  };
  const [mine, theirs] = [precedes(a, b), precedes(b, a)];
  if (mine && theirs) return (a.signs.firstArchivedMs ?? 0) - (b.signs.firstArchivedMs ?? 0);
  return Number(theirs) - Number(mine);
}

/** A copy continues with a prompt; only the original continues in the middle of a turn. */
function byContinuedTurn(a: Side, b: Side): number {
  const goesOn = ({ rest }: Side) => rest.find(({ step }) => (step ?? null) !== null)?.step === 'answer';
  return Number(goesOn(b)) - Number(goesOn(a));
}

/** A session that contains only the shared part was abandoned at that point: it is the original. */
function byAbandonment(a: Side, b: Side): number {
  const goesOn = ({ rest }: Side) => rest.some(({ step }) => step === 'prompt' || step === 'answer');
  return Number(goesOn(a)) - Number(goesOn(b));
}

/** A session in use continues within this time. */
const IN_FLOW_MS = 2 * 60_000;

/**
 * The last resort is the clock. A session that continued right away is the original. If neither did, the copy was made
 * from the complete session and continued first, and the original was resumed later.
 */
function byNextTime(a: Side, b: Side): number {
  const [mine, theirs] = [gapOf(a), gapOf(b)];
  if (mine === theirs) return 0;
  const isSoonest = mine < theirs;
  const isInFlow = Math.min(mine, theirs) <= IN_FLOW_MS || Math.max(mine, theirs) === Number.POSITIVE_INFINITY;
  return isSoonest === isInFlow ? -1 : 1;
}

/** Milliseconds from the last shared message to the next one; 0 when nothing follows, infinite when the clock went backwards. */
function gapOf({ shared, rest }: Side): number {
  const from = shared.at(-1)?.timestampMs ?? null;
  const next = rest.find(({ timestampMs }) => timestampMs !== null)?.timestampMs ?? null;
  if (from === null || next === null) return 0;
  return next >= from ? next - from : Number.POSITIVE_INFINITY;
}

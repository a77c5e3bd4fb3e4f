import type { SessionFacts, TranscriptMessage } from '../../domain/transcript.ts';
import type { BranchPoint, LevelStats, Segment, ToolCall, Turn } from '../../domain/transcript-structure.ts';
import { millisBetween } from '../assemble/timestamp.ts';
import type { MessageGraph } from '../graph/place-line.ts';
import { asNumber } from '../read/json.ts';
import type { MessageDraft, SessionState } from '../state.ts';
import type { FinishedMessages } from './finish-messages.ts';
import { createTally, finishTally, type Tally, tallyCall, tallyMessage } from './tally.ts';

/** Figures of all levels, filled in one pass over messages and calls. */
export interface Levels {
  readonly session: Tally;
  readonly byAgent: ReadonlyMap<string, Tally>;
  readonly byTurn: ReadonlyMap<string, Tally>;
  readonly bySegment: ReadonlyMap<string, Tally>;
  /** Reported durations per turn. */
  readonly reportedMs: ReadonlyMap<string, number>;
}

export function countLevels(state: SessionState, { byDraft }: FinishedMessages, calls: readonly ToolCall[]): Levels {
  const [byAgent, byTurn, bySegment] = [new Map<string, Tally>(), new Map<string, Tally>(), new Map<string, Tally>()];
  const levels = { session: createTally(), byAgent, byTurn, bySegment, reportedMs: new Map<string, number>() };
  const forEachLevel = (message: TranscriptMessage, count: (tally: Tally) => void): void => {
    // Messages that another session counts are included in the figures of their turn only.
    if (!message.isInherited) {
      count(levels.session);
      count(tallyAt(bySegment, segmentKey(message)));
    }
    if (message.agentId !== null) count(tallyAt(byAgent, message.agentId));
    if (message.turnId !== null) count(tallyAt(byTurn, message.turnId));
  };
  const byId = new Map<string, TranscriptMessage>();
  for (const [index, message] of byDraft.entries()) {
    if (message === null) continue;
    if (message.hasToolUse) byId.set(message.id, message);
    const { lastTimestamp, thinkingBlocks, replayOf } = state.messages[index] as MessageDraft;
    const counted = { message, lastTimestamp, thinkingBlocks, isReplay: replayOf >= 0 };
    forEachLevel(message, (tally) => tallyMessage(tally, counted));
    noteDuration(message, levels.reportedMs);
  }
  for (const call of calls) {
    const message = call.messageId === null ? undefined : byId.get(call.messageId);
    if (message !== undefined) forEachLevel(message, (tally) => tallyCall(tally, call));
  }
  return levels;
}

function noteDuration({ subtype, turnId, metadata }: TranscriptMessage, reportedMs: Map<string, number>): void {
  const durationMs = subtype === 'turn_duration' && turnId !== null ? asNumber(metadata['durationMs']) : null;
  if (durationMs === null || durationMs < 0) return;
  reportedMs.set(turnId as string, (reportedMs.get(turnId as string) ?? 0) + durationMs);
}

function segmentKey({ agentId, compactSequence }: TranscriptMessage): string {
  return agentId === null ? String(compactSequence) : `${agentId}\n${compactSequence}`;
}

function tallyAt(map: Map<string, Tally>, key: string): Tally {
  const known = map.get(key);
  if (known !== undefined) return known;
  const fresh = createTally();
  map.set(key, fresh);
  return fresh;
}

export function finishTurns(
  graph: MessageGraph,
  { byDraft }: FinishedMessages,
  levels: Levels,
  branches: readonly BranchPoint[],
): readonly Turn[] {
  const branching = new Set(branches.flatMap((branch) => branch.turnIds));
  const turns: Turn[] = [];
  for (const [index, prompt] of byDraft.entries()) {
    if (prompt === null || graph.turn[index] !== index) continue;
    const duration = turnDuration(levels, prompt);
    turns.push({
      id: prompt.id,
      ordinal: turns.length,
      agentId: prompt.agentId,
      origin: prompt.origin,
      parentTurnId: parentTurn(graph, byDraft, index),
      isBranch: branching.has(prompt.id),
      compactSequence: prompt.compactSequence,
      ...duration,
      stats: finishTally(levels.byTurn.get(prompt.id) ?? createTally(), duration.durationMs),
    });
  }
  return turns;
}

function parentTurn(graph: MessageGraph, byDraft: FinishedMessages['byDraft'], index: number): string | null {
  const parent = graph.parent[index] as number;
  const above = parent < 0 ? null : byDraft[parent];
  return above?.turnId ?? null;
}

function turnDuration(
  { byTurn, reportedMs }: Levels,
  prompt: TranscriptMessage,
): Pick<Turn, 'durationMs' | 'durationSource'> {
  const reported = reportedMs.get(prompt.id);
  if (reported !== undefined) return { durationMs: reported, durationSource: 'reported' };
  const durationMs = millisBetween(prompt.timestamp, byTurn.get(prompt.id)?.workedUntil ?? null);
  return { durationMs, durationSource: durationMs === null ? null : 'derived' };
}

export function finishSegments(
  messages: readonly TranscriptMessage[],
  levels: Levels,
  activeTime: ActiveTime,
): readonly Segment[] {
  const ends = new Map<string, { first: TranscriptMessage; last: TranscriptMessage; boundary: string | null }>();
  for (const message of messages) {
    const key = segmentKey(message);
    const known = ends.get(key);
    const boundary = message.subtype === 'compact_boundary' ? message.id : null;
    if (known === undefined) ends.set(key, { first: message, last: message, boundary });
    else {
      known.last = message;
      known.boundary ??= boundary;
    }
  }
  return [...ends].map(([key, { first, last, boundary }]) => ({
    agentId: first.agentId,
    compactSequence: first.compactSequence,
    kind: first.compactSequence === 0 ? 'original' : 'continuation',
    compactionId: boundary,
    firstMessageId: first.id,
    lastMessageId: last.id,
    stats: finishLevel(levels.bySegment.get(key), first.agentId, activeTime),
  }));
}

/** Figures of a segment or a sub-agent. */
export function finishLevel(tally = createTally(), agentId: string | null, activeTime: ActiveTime): LevelStats {
  return finishTally(tally, activeTime(agentId, tally.startedAt, tally.endedAt));
}

/**
 * Totals of the session, from the first to the last of all its lines; active time is that of the main thread's turns.
 */
export function sessionTotals(
  { session }: Levels,
  { startedAt, endedAt }: Pick<SessionFacts, 'startedAt' | 'endedAt'>,
  activeTime: ActiveTime,
): LevelStats {
  return finishLevel({ ...session, startedAt, endedAt }, null, activeTime);
}

/** Milliseconds between two times in which turns of a thread (null: the main one) were running. Null without turns. */
export type ActiveTime = (agentId: string | null, from: string | null, to: string | null) => number | null;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Turns can overlap (a queued prompt, a rewind, a copied beginning), so their durations may add up to more than the
 * elapsed time. Active time is the time in which at least one of them was running.
 */
export function activeTimeOf(turns: readonly Turn[], messages: readonly TranscriptMessage[]): ActiveTime {
  const spans = spansByThread(turns, messages);
  return (agentId, from, to) => {
    const ofThread = spans.get(agentId);
    if (ofThread === undefined || from === null || to === null) return null;
    return lengthWithin(ofThread, { fromMs: Date.parse(from), toMs: Date.parse(to) });
  };
}

/** Spans of each thread without overlaps, in chronological order. */
function spansByThread(
  turns: readonly Turn[],
  messages: readonly TranscriptMessage[],
): ReadonlyMap<string | null, readonly Span[]> {
  const durations = new Map(turns.map((turn) => [turn.id, turn.durationMs]));
  const byThread = new Map<string | null, Span[]>();
  for (const { id, agentId, timestamp } of messages) {
    const durationMs = durations.get(id);
    if (durationMs === undefined || durationMs === null || timestamp === null) continue;
    const fromMs = Date.parse(timestamp);
    const spans = byThread.get(agentId);
    if (spans === undefined) byThread.set(agentId, [{ fromMs, toMs: fromMs + durationMs }]);
    else spans.push({ fromMs, toMs: fromMs + durationMs });
  }
  return new Map([...byThread].map(([agentId, spans]) => [agentId, merge(spans)]));
}

function merge(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1);
    if (last === undefined || span.fromMs > last.toMs) merged.push(span);
    else merged[merged.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
  }
  return merged;
}

function lengthWithin(spans: readonly Span[], { fromMs, toMs }: Span): number {
  let length = 0;
  for (const span of spans) length += Math.max(0, Math.min(span.toMs, toMs) - Math.max(span.fromMs, fromMs));
  return length;
}

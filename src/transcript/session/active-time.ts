import type { Turn } from '../../domain/transcript-structure.ts';
import type { TranscriptMessage } from '../../domain/transcript.ts';
import { millisOf } from '../assemble/timestamp.ts';

/** Milliseconds in which the turns of a thread (null: the main one) were running, between two times. Null without turns. */
export type ActiveTime = (agentId: string | null, from: string | null, to: string | null) => number | null;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Turns run side by side (a queued prompt, a rewind, a copied beginning), so that their durations may add up to more
 * than the time that passed. Active time is the time in which at least one of them was running.
 */
export function activeTimeOf(turns: readonly Turn[], messages: readonly TranscriptMessage[]): ActiveTime {
  const spans = spansByThread(turns, messages);
  return (agentId, from, to) => {
    const ofThread = spans.get(agentId);
    if (ofThread === undefined || from === null || to === null) return null;
    return lengthWithin(ofThread, { fromMs: millisOf(from), toMs: millisOf(to) });
  };
}

/** The spans of each thread without overlaps, in order of time. */
function spansByThread(
  turns: readonly Turn[],
  messages: readonly TranscriptMessage[],
): ReadonlyMap<string | null, readonly Span[]> {
  const durations = new Map(turns.map((turn) => [turn.id, turn.durationMs]));
  const byThread = new Map<string | null, Span[]>();
  for (const { id, agentId, timestamp } of messages) {
    const durationMs = durations.get(id);
    if (durationMs === undefined || durationMs === null || timestamp === null) continue;
    const fromMs = millisOf(timestamp);
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

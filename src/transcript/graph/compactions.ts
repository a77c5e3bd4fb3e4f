import type { JsonObject } from '../../domain/transcript.ts';
import type { Compaction } from '../../domain/transcript-structure.ts';
import { asCount, asNumber, asObject, asText, textsOf } from '../read/json.ts';
import type { MessageDraft, SessionState } from '../state.ts';
import { nearestAbove } from './branches.ts';
import type { MessageGraph } from './place-line.ts';
import { findRow, NODE_KINDS } from './uuid-table.ts';

/** The summary normally follows the boundary directly; clients may write a few lines in between. */
const MAX_LINES_TO_SUMMARY = 4;

export interface CompactionView {
  readonly compactions: readonly Compaction[];
  /** By message index: number of compactions above it in its thread. */
  readonly sequence: Int32Array;
  /** By message index: 1 if a later compaction removed it from the model's context. */
  readonly isCompacted: Uint8Array;
}

/** Finds where the context was cut and which messages each cut removed. */
export function viewCompactions(state: SessionState, graph: MessageGraph): CompactionView {
  const boundaries = findBoundaries(state);
  const sequence = sequences(state, graph, boundaries);
  return {
    compactions: state.messages.flatMap((draft, index) => {
      if (draft.subtype === 'compact_boundary') return [fullCompaction(state, draft, index, boundaries)];
      return draft.subtype === 'microcompact_boundary' ? [microCompaction(state, draft)] : [];
    }),
    sequence,
    isCompacted: compacted(state, sequence, boundaries),
  };
}

/** Message index of each boundary → its number within its thread, from 1. */
type Boundaries = ReadonlyMap<number, number>;

function findBoundaries({ messages }: SessionState): Boundaries {
  const perThread = new Map<number, number>();
  const boundaries = new Map<number, number>();
  for (const [index, draft] of messages.entries()) {
    if (draft.subtype !== 'compact_boundary') continue;
    const number = (perThread.get(draft.thread) ?? 0) + 1;
    perThread.set(draft.thread, number);
    boundaries.set(index, number);
  }
  return boundaries;
}

/**
 * The nearest boundary above decides, so a rewind to before a compaction counts as before it; otherwise the position.
 */
function sequences(state: SessionState, { forest, row }: MessageGraph, boundaries: Boundaries): Int32Array {
  const { uuids, messages } = state;
  const sequence = new Int32Array(messages.length);
  if (boundaries.size === 0) return sequence;
  const nearest = nearestAbove(forest, (at) => uuids.kind[at] === NODE_KINDS.boundary);
  const roots = nearestAbove(forest, (at) => forest.up[at] === -1);
  const soFar = new Int32Array(state.threads.length);
  for (const [index, draft] of messages.entries()) {
    const number = boundaries.get(index);
    if (number !== undefined) soFar[draft.thread] = number;
    const own = row[index] as number;
    const root = own < 0 ? -1 : (roots[own] as number);
    const isChained = root >= 0 && (uuids.line[root] as number) >= 0 && uuids.thread[root] === draft.thread;
    const above = own < 0 ? -1 : (nearest[own] as number);
    const byChain = above < 0 ? 0 : (boundaries.get(uuids.message[above] as number) ?? 0);
    sequence[index] = isChained || above >= 0 ? byChain : (soFar[draft.thread] as number);
  }
  return sequence;
}

function compacted(state: SessionState, sequence: Int32Array, boundaries: Boundaries): Uint8Array {
  const flags = new Uint8Array(state.messages.length);
  if (boundaries.size === 0) return flags;
  const preserved = new Set<string>();
  const lastBoundary = new Map<number, { index: number; number: number }>();
  for (const [index, number] of boundaries) {
    const draft = state.messages[index] as MessageDraft;
    lastBoundary.set(draft.thread, { index, number });
  }
  for (const { index } of lastBoundary.values()) {
    for (const uuid of preservedUuids(state, metadataOf(state.messages[index] as MessageDraft))) preserved.add(uuid);
  }
  for (const [index, draft] of state.messages.entries()) {
    const last = lastBoundary.get(draft.thread);
    const isLeftBehind = last !== undefined && index < last.index && (sequence[index] as number) < last.number;
    if (isLeftBehind && !(draft.uuid !== null && preserved.has(draft.uuid))) flags[index] = 1;
  }
  return flags;
}

function fullCompaction(state: SessionState, draft: MessageDraft, index: number, boundaries: Boundaries): Compaction {
  const metadata = metadataOf(draft);
  const summary = state.messages
    .slice(index + 1, index + 1 + MAX_LINES_TO_SUMMARY)
    .find((other) => other.thread === draft.thread && other.origin === 'compact_summary');
  return {
    ...common(state, draft, metadata),
    kind: 'full',
    compactSequence: boundaries.get(index) ?? 0,
    postTokens: asCount(metadata['postTokens']),
    savedTokens: savedTokens(asCount(metadata['preTokens']), asCount(metadata['postTokens'])),
    droppedTokens: asCount(metadata['cumulativeDroppedTokens']),
    durationMs: asNumber(metadata['durationMs']),
    summaryMessageId: summary?.id ?? null,
    preservedUuids: preservedUuids(state, metadata),
    clearedToolUseIds: [],
  };
}

function savedTokens(before: number | null, after: number | null): number | null {
  return before === null || after === null || after > before ? null : before - after;
}

function microCompaction(state: SessionState, draft: MessageDraft): Compaction {
  const metadata = asObject(draft.metadata['microcompactMetadata']) ?? {};
  return {
    ...common(state, draft, metadata),
    kind: 'micro',
    compactSequence: 0,
    postTokens: null,
    savedTokens: asCount(metadata['tokensSaved']),
    droppedTokens: null,
    durationMs: null,
    summaryMessageId: null,
    preservedUuids: [],
    clearedToolUseIds: textsOf(metadata['compactedToolIds']),
  };
}

function common(state: SessionState, draft: MessageDraft, metadata: JsonObject) {
  return {
    id: draft.id,
    agentId: state.threads[draft.thread]?.agentId ?? null,
    trigger: asText(metadata['trigger']),
    preTokens: asCount(metadata['preTokens']),
    logicalParentUuid: asText(draft.metadata['logicalParentUuid']),
    timestamp: draft.timestamp,
  };
}

function metadataOf(draft: MessageDraft): JsonObject {
  return asObject(draft.metadata['compactMetadata']) ?? {};
}

/** Listed one by one, or as the chain from a tail up to a head. */
function preservedUuids(state: SessionState, metadata: JsonObject): readonly string[] {
  const named = asObject(metadata['preservedMessages']);
  const uuids = textsOf(named?.['allUuids'] ?? named?.['uuids']);
  if (uuids.length > 0) return uuids;
  const segment = asObject(metadata['preservedSegment']);
  const [head, tail] = [asText(segment?.['headUuid']), asText(segment?.['tailUuid'])];
  return head === null || tail === null ? [] : chain(state, head, tail);
}

function chain({ uuids, messages }: SessionState, head: string, tail: string): readonly string[] {
  const found: string[] = [];
  const stop = findRow(uuids, head);
  const visited = new Set<number>();
  for (let row = findRow(uuids, tail); row >= 0 && !visited.has(row); row = uuids.parent[row] as number) {
    visited.add(row);
    const uuid = messages[uuids.message[row] as number]?.uuid;
    if (typeof uuid === 'string') found.push(uuid);
    if (row === stop) return found.reverse();
  }
  return [];
}

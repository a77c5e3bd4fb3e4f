import { isTyped } from '../../domain/text-origin.ts';
import type { BranchPoint } from '../../domain/transcript-structure.ts';
import type { MessageDraft, SessionState } from '../state.ts';
import type { MessageGraph } from './place-line.ts';
import { NODE_KINDS, type UuidTable } from './uuid-table.ts';

/**
 * The uuid graph made safe to traverse: every row has at most one parent and there are no cycles. Compaction cuts the
 * chain; `logicalParentUuid` bridges the gap.
 */
export interface Forest {
  readonly table: UuidTable;
  /** Parent row, -1 for a root. */
  readonly up: Int32Array;
  /** Rows in line order. */
  readonly byLine: Int32Array;
  readonly cycles: number;
  /** Number of rows that are named as parents but have no line. */
  readonly absentParents: number;
}

export function buildForest(table: UuidTable): Forest {
  const up = new Int32Array(table.size);
  let absentParents = 0;
  for (let row = 0; row < table.size; row += 1) {
    const parent = table.parent[row] as number;
    up[row] = parent >= 0 ? parent : (table.logicalParent[row] as number);
    if ((table.line[row] as number) < 0) absentParents += 1;
  }
  const cycles = breakCycles(table, up);
  return { table, up, byLine: rowsByLine(table), cycles, absentParents };
}

/** Follows every row upwards once. A walk that meets itself has found a cycle, which is cut above its earliest line. */
function breakCycles(table: UuidTable, up: Int32Array): number {
  const seenIn = new Int32Array(up.length);
  let cycles = 0;
  for (let start = 0; start < up.length; start += 1) {
    const walk = start + 1;
    let row = start;
    while (row >= 0 && seenIn[row] === 0) {
      seenIn[row] = walk;
      row = up[row] as number;
    }
    if (row < 0 || seenIn[row] !== walk) continue;
    cycles += 1;
    up[earliestOnCycle(table, up, row)] = -1;
  }
  return cycles;
}

function earliestOnCycle(table: UuidTable, up: Int32Array, start: number): number {
  let earliest = start;
  for (let row = up[start] as number; row !== start; row = up[row] as number) {
    if ((table.line[row] as number) < (table.line[earliest] as number)) earliest = row;
  }
  return earliest;
}

function rowsByLine(table: UuidTable): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < table.size; row += 1) if ((table.line[row] as number) >= 0) rows.push(row);
  return Int32Array.from(rows).sort((a, b) => (table.line[a] as number) - (table.line[b] as number));
}

/** For every row, the nearest row at or above it for which `isWanted` is true, or -1. Linear, regardless of depth. */
export function nearestAbove(forest: Forest, isWanted: (row: number) => boolean): Int32Array {
  const { up } = forest;
  const nearest = new Int32Array(up.length);
  for (let row = 0; row < up.length; row += 1) nearest[row] = isWanted(row) ? row : UNKNOWN;
  const path = new Int32Array(up.length);
  for (let start = 0; start < up.length; start += 1) {
    let passed = 0;
    let row = start;
    while (row >= 0 && nearest[row] === UNKNOWN) {
      path[passed] = row;
      passed += 1;
      row = up[row] as number;
    }
    const answer = row < 0 ? -1 : (nearest[row] as number);
    while (passed > 0) nearest[path[(passed -= 1)] as number] = answer;
  }
  return nearest;
}

const UNKNOWN = -2;

/** True for lines that only connect the lines of a conversation. */
function isConnector(kind: number): boolean {
  return (
    kind === NODE_KINDS.progress ||
    kind === NODE_KINDS.attachment ||
    kind === NODE_KINDS.system ||
    kind === NODE_KINDS.other ||
    kind === NODE_KINDS.repeat ||
    kind === NODE_KINDS.absent
  );
}

/**
 * Finds places with two or more prompts below them: an edited prompt or a rewind. Context lines in between are ignored.
 * Prompts that start a conversation have no parent, so two of them in one file are an edited first prompt.
 */
export function findBranches(state: SessionState, graph: MessageGraph): readonly BranchPoint[] {
  const { uuids, messages } = state;
  const { forest } = graph;
  const anchors = nearestAbove(forest, (row) => !isConnector(uuids.kind[row] as number));
  const roots = nearestAbove(forest, (row) => forest.up[row] === -1);
  const promptsByAnchor = new Map<number, number[]>();
  for (const [index, draft] of messages.entries()) {
    const row = graph.row[index] as number;
    // Notifications and local commands are siblings without being branches.
    if (row < 0 || !isTyped(draft.origin) || graph.turn[index] !== index) continue;
    const above = forest.up[row] as number;
    const isFirst = above < 0 || (anchors[above] as number) < 0;
    // A truncated file names parents it does not contain, so their children do not start the conversation.
    if (isFirst && (draft.isInherited || (uuids.line[roots[row] as number] as number) < 0)) continue;
    const anchor = isFirst ? rootAnchor(draft) : (anchors[above] as number);
    const prompts = promptsByAnchor.get(anchor);
    if (prompts === undefined) promptsByAnchor.set(anchor, [index]);
    else prompts.push(index);
  }
  const found: BranchPoint[] = [];
  for (const [anchor, prompts] of promptsByAnchor) {
    if (prompts.length > 1) found.push(branchAt(state, graph, anchor, prompts));
  }
  return found;
}

/** Represents the place above all lines of a file; never a row. */
function rootAnchor({ lines, thread }: MessageDraft): number {
  return -1 - (lines[0]?.file ?? 0) - thread * MAX_FILES;
}

const MAX_FILES = 1 << 16;

function branchAt(state: SessionState, graph: MessageGraph, anchor: number, prompts: readonly number[]): BranchPoint {
  const { uuids, messages, threads } = state;
  const message = anchor < 0 ? undefined : messages[uuids.message[anchor] as number];
  const first = messages[prompts[0] as number] as MessageDraft;
  return {
    uuid: message?.uuid ?? '',
    messageId: message?.id ?? null,
    agentId: threads[first.thread]?.agentId ?? null,
    turnIds: prompts.map((index) => (messages[index] as MessageDraft).id),
    currentTurnId: (messages[currentOf(state, graph, prompts)] as MessageDraft).id,
  };
}

/** The prompt above the last message of the thread; if there is none, the last prompt. */
function currentOf({ messages }: SessionState, graph: MessageGraph, prompts: readonly number[]): number {
  const { thread } = messages[prompts[0] as number] as MessageDraft;
  const wanted = new Set(prompts);
  const leaf = messages.findLastIndex((draft, index) => draft.thread === thread && (graph.row[index] as number) >= 0);
  for (
    let index = leaf, steps = 0;
    index >= 0 && steps <= messages.length;
    index = graph.parent[index] as number, steps += 1
  ) {
    if (wanted.has(index)) return index;
  }
  return prompts.at(-1) as number;
}

import type { BranchPoint } from '../../domain/transcript-structure.ts';
import type { MessageOrigin } from '../../domain/transcript.ts';
import type { MessageDraft, SessionState } from '../state.ts';
import { isBetween, nearestAbove } from './forest.ts';
import type { MessageGraph } from './message-graph.ts';

/** Only what a person said can be said anew; notifications and local commands come side by side without any branch. */
const SPOKEN: ReadonlySet<MessageOrigin> = new Set<MessageOrigin>(['human', 'queued']);

/**
 * Places with two or more prompts under them: an edited prompt or a rewind. Context lines between do not count.
 * Prompts that begin a conversation hang under nothing: two of them in one file are the first prompt, edited.
 */
export function findBranches(state: SessionState, graph: MessageGraph): readonly BranchPoint[] {
  const { uuids, messages } = state;
  const { forest } = graph;
  const anchors = nearestAbove(forest, (row) => !isBetween(uuids.kind[row] as number));
  const roots = nearestAbove(forest, (row) => forest.up[row] === -1);
  const promptsByAnchor = new Map<number, number[]>();
  for (const [index, draft] of messages.entries()) {
    const row = graph.row[index] as number;
    if (row < 0 || !SPOKEN.has(draft.origin) || graph.turn[index] !== index) continue;
    const above = forest.up[row] as number;
    const isFirst = above < 0 || (anchors[above] as number) < 0;
    // A file that was cut names parents it does not have: what hangs under them does not begin the conversation.
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

/** Stands for the place above all lines of a file; never a row. */
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

/** The prompt above the last message of the thread; the last prompt when none is. */
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

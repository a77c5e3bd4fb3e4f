import type { BranchPoint } from '../../domain/transcript-structure.ts';
import type { MessageOrigin } from '../../domain/transcript.ts';
import type { MessageDraft, SessionState } from '../state.ts';
import { isBetween, nearestAbove } from './forest.ts';
import type { MessageGraph } from './message-graph.ts';

/** Only what a person said can be said anew; notifications and local commands come side by side without any branch. */
const SPOKEN: ReadonlySet<MessageOrigin> = new Set<MessageOrigin>(['human', 'queued']);

/** Places with two or more prompts under them: an edited prompt or a rewind. Context lines between do not count. */
export function findBranches(state: SessionState, graph: MessageGraph): readonly BranchPoint[] {
  const { uuids, messages } = state;
  const { forest } = graph;
  const anchors = nearestAbove(forest, (row) => !isBetween(uuids.kind[row] as number));
  const promptsByAnchor = new Map<number, number[]>();
  for (const [index, draft] of messages.entries()) {
    const row = graph.row[index] as number;
    if (row < 0 || !SPOKEN.has(draft.origin) || graph.turn[index] !== index) continue;
    const above = forest.up[row] as number;
    const anchor = above < 0 ? -1 : (anchors[above] as number);
    if (anchor < 0) continue;
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

function branchAt(state: SessionState, graph: MessageGraph, anchor: number, prompts: readonly number[]): BranchPoint {
  const { uuids, messages, threads } = state;
  const message = messages[uuids.message[anchor] as number];
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

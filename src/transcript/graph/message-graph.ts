import type { MessageDraft, SessionState } from '../state.ts';
import { buildForest, type Forest, nearestAbove } from './forest.ts';
import { NODE_KINDS } from './uuid-table.ts';

/** The graph as messages see it. All arrays are by message index; -1 means none. */
export interface MessageGraph {
  readonly forest: Forest;
  /** Row of the message's first line. */
  readonly row: Int32Array;
  readonly parent: Int32Array;
  /** Message of the prompt whose turn it belongs to. */
  readonly turn: Int32Array;
}

export function buildMessageGraph(state: SessionState): MessageGraph {
  const forest = buildForest(state.uuids);
  const row = firstRows(state, forest);
  const parent = parentMessages(state, forest, row);
  return { forest, row, parent, turn: turns(state, forest, row) };
}

function firstRows({ messages, uuids }: SessionState, { byLine }: Forest): Int32Array {
  const rows = new Int32Array(messages.length).fill(-1);
  for (const row of byLine) {
    const message = uuids.message[row] as number;
    if (message >= 0 && rows[message] === -1) rows[message] = row;
  }
  return rows;
}

/** The message above the first line, over progress lines and compactions. */
function parentMessages({ messages, uuids }: SessionState, forest: Forest, rows: Int32Array): Int32Array {
  const nearest = nearestAbove(forest, (row) => (uuids.message[row] as number) >= 0);
  return rows.map((row, index) => {
    const above = row < 0 ? -1 : (forest.up[row] as number);
    const found = above < 0 ? -1 : (nearest[above] as number);
    const parent = found < 0 ? -1 : (uuids.message[found] as number);
    // Lines of one message may be out of order; a message never hangs under a later one of its own thread twice.
    return parent === index || messages[parent]?.isWithdrawn === true ? -1 : parent;
  });
}

/**
 * A turn is a prompt with everything below it up to the next prompts: each line belongs to the nearest prompt above
 * it. Lines whose chain is broken belong to the last prompt before them in the same thread.
 */
function turns(state: SessionState, forest: Forest, rows: Int32Array): Int32Array {
  const { uuids, messages } = state;
  const nearest = nearestAbove(
    forest,
    (row) => uuids.kind[row] === NODE_KINDS.prompt && (uuids.message[row] as number) >= 0,
  );
  const lastPrompt = new Int32Array(state.threads.length).fill(-1);
  return rows.map((row, index) => {
    const draft = messages[index] as MessageDraft;
    const prompt = row < 0 ? -1 : (nearest[row] as number);
    const own = prompt >= 0 && uuids.thread[prompt] === draft.thread ? (uuids.message[prompt] as number) : -1;
    if (own === index) lastPrompt[draft.thread] = index;
    if (own >= 0) return own;
    return draft.messageType === 'summary' ? -1 : (lastPrompt[draft.thread] as number);
  });
}

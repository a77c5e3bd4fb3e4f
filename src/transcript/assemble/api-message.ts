import type { LineContext } from '../line/context.ts';
import type { Placement } from '../graph/place-line.ts';
import { asText } from '../read/json.ts';
import type { MessageDraft } from '../state.ts';
import { extendMessage, openMessage } from './messages.ts';

const NONE: readonly number[] = [];

/**
 * The message an API id stands for. One id is one message, also when a line has no request id; under several request
 * ids it is several, except that a side question replays the main thread's messages under a request id of its own.
 */
export function apiMessageOf(context: LineContext, placement: Placement, apiMessageId: string | null): MessageDraft {
  const { state, record } = context;
  const requestId = asText(record['requestId']);
  const about = { messageType: 'assistant', role: 'assistant', origin: 'model', apiMessageId, requestId } as const;
  if (apiMessageId === null) return openMessage(context, placement, about);
  const same = findApiMessage(context, apiMessageId);
  if (same >= 0) {
    (state.messages[same] as MessageDraft).requestId ??= requestId;
    return extendMessage(context, placement, same);
  }
  const known = state.apiMessages.get(apiMessageId) ?? NONE;
  const draft = openMessage(context, placement, about);
  state.apiMessages.set(apiMessageId, known.length === 0 ? [context.messageIndex] : [...known, context.messageIndex]);
  if (known.length > 0) markReplay(state.messages, known, context.messageIndex);
  return draft;
}

/** Index of the message that a line with this API id goes on with, -1 when it opens one. */
export function findApiMessage({ state, record, thread }: LineContext, apiMessageId: string): number {
  const requestId = asText(record['requestId']);
  for (const index of state.apiMessages.get(apiMessageId) ?? NONE) {
    const draft = state.messages[index] as MessageDraft;
    if (draft.thread === thread && isSameRequest(draft.requestId, requestId)) return index;
  }
  return -1;
}

function isSameRequest(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}

/** Of the same API message in two threads one is the record and the other repeats it: the main thread's counts. */
function markReplay(messages: readonly MessageDraft[], known: readonly number[], index: number): void {
  const draft = messages[index] as MessageDraft;
  for (const otherIndex of known) {
    const other = messages[otherIndex] as MessageDraft;
    if (other.thread === draft.thread || other.replayOf >= 0) continue;
    if (draft.thread !== 0) {
      draft.replayOf = otherIndex;
      return;
    }
    other.replayOf = index;
    if (isSameRequest(other.requestId, draft.requestId)) draft.usage = other.usage;
    other.usage = null;
  }
}

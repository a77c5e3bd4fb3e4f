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
  const { state, record, thread } = context;
  const requestId = asText(record['requestId']);
  const about = { messageType: 'assistant', role: 'assistant', origin: 'model', apiMessageId, requestId } as const;
  if (apiMessageId === null) return openMessage(context, placement, about);
  const known = state.apiMessages.get(apiMessageId) ?? NONE;
  for (const index of known) {
    const other = state.messages[index] as MessageDraft;
    if (other.thread !== thread || !isSameRequest(other.requestId, requestId)) continue;
    other.requestId ??= requestId;
    return extendMessage(context, placement, index);
  }
  const draft = openMessage(context, placement, about);
  state.apiMessages.set(apiMessageId, known.length === 0 ? [context.messageIndex] : [...known, context.messageIndex]);
  if (known.length > 0) markReplay(state.messages, known, context.messageIndex);
  return draft;
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
